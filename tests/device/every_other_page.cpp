// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Imitates CUDA: reports every second page as GPU memory, though it is host memory. So tests that know
// nothing of GPUs have some of their data on a GPU.

#include <cstdint>

extern "C" int cuPointerGetAttribute(void* value, int attribute, std::uintptr_t address) {
  constexpr int memory_type = 2;
  constexpr unsigned host = 1, device = 2;
  constexpr std::uintptr_t page = 4096;
  *static_cast<unsigned*>(value) = attribute != memory_type ? 0 : address / page % 2 == 0 ? device : host;
  return 0;
}
