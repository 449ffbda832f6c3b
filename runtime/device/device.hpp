// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

/// This finds out what is memory of GPUs, which MPI may be given and the CPU must not touch. What CUDA's
/// driver or HIP says of an address decides, where the process has loaded it; nothing is linked, and nothing
/// is loaded for this. Only threads that may call MPI may call these functions.
namespace helper::device {

namespace detail {
// It is false permanently once it is known that MPI cannot be given such memory. It guards nothing, so
// accesses are relaxed: a thread that sees it late asks without success.
inline constinit std::atomic<bool> possible{true};

bool asked(const void* address) noexcept;
} // namespace detail

/// Returns whether MPI may be given memory of a GPU at all.
inline bool is_possible() noexcept {
  return detail::possible.load(std::memory_order_relaxed);
}

/// Returns whether a library that knows of memory of GPUs is loaded.
bool has_runtime() noexcept;

/// Returns whether `address` lies in memory of a GPU. Managed memory and the host's own, registered or not,
/// is no such memory.
inline bool holds(const void* address) noexcept {
  return is_possible() && detail::asked(address);
}

} // namespace helper::device
