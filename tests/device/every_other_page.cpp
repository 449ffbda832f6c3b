// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A runtime of CUDA that takes every other page for a GPU's, though it is the host's: so tests that know
// nothing of GPUs have their data now here, now there.

#include <cstdint>

extern "C" int cuPointerGetAttribute(void* value, int attribute, std::uintptr_t address) {
  constexpr int memory_type = 2;
  constexpr unsigned host = 1, device = 2;
  constexpr std::uintptr_t page = 4096;
  *static_cast<unsigned*>(value) = attribute != memory_type ? 0 : address / page % 2 == 0 ? device : host;
  return 0;
}
