// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace helper::layout {

/// An address is an integer because buffers may be MPI_BOTTOM, from where pointer arithmetic is not defined.
using Address = std::uintptr_t;

inline Address moved(Address address, std::ptrdiff_t distance) {
  return address + static_cast<Address>(distance);
}

/// These functions copy runs of different lengths between the addresses user + offsets[i] and `packed`, where
/// they lie one after the other. Run i is begins[i + 1] - begins[i] bytes long.
struct RunKernels {
  const char* name;
  void (*pack)(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
               std::byte* packed) noexcept;
  void (*unpack)(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
                 const std::byte* packed) noexcept;
};

/// Returns the kernels that this processor can run, slowest first.
std::span<const RunKernels> run_kernels();

extern const RunKernels portable_runs;
extern const RunKernels avx512_runs;

} // namespace helper::layout
