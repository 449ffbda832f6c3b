// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>

/// Memory of GPUs, which MPI may be given and the CPU must not touch. What CUDA's driver or HIP says of an
/// address decides, where the process has loaded it; nothing is linked, and nothing is loaded for this.
/// For threads that may call MPI.
namespace helper::device {

namespace detail {
// False for good once it is known that MPI cannot be given such memory. It guards nothing: who sees it late
// asks in vain. Relaxed.
inline constinit std::atomic<bool> possible{true};

bool asked(const void* address) noexcept;
} // namespace detail

/// Whether MPI may be given such memory at all.
inline bool is_possible() noexcept {
  return detail::possible.load(std::memory_order_relaxed);
}

/// Whether a library that knows of such memory is loaded.
bool has_runtime() noexcept;

/// Whether `address` lies in such memory. Managed memory and the host's own, registered or not, does not.
inline bool holds(const void* address) noexcept {
  return is_possible() && detail::asked(address);
}

} // namespace helper::device
