// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

/// Recognises memory of GPUs, which MPI may accept and the CPU must not touch. CUDA's driver or HIP decides,
/// if it is loaded; this library never loads it. Only threads that may call MPI may call these functions.
namespace helper::device {

namespace detail {
// False permanently once MPI is known not to accept GPU memory. It guards nothing, so accesses are relaxed: a
// thread that sees the change late makes one needless query.
inline constinit std::atomic<bool> possible{true};

bool asked(const void* address) noexcept;
} // namespace detail

/// Returns whether MPI may be given memory of a GPU.
inline bool is_possible() noexcept {
  return detail::possible.load(std::memory_order_relaxed);
}

/// Returns whether a library is loaded that can recognise GPU memory.
bool has_runtime() noexcept;

/// Returns whether `address` is in memory of a GPU. Managed memory and host memory do not count.
inline bool holds(const void* address) noexcept {
  return is_possible() && detail::asked(address);
}

} // namespace helper::device
