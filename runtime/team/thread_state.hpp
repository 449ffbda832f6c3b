// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cfenv>
#include <cstdint>

namespace helper::team {

/// What affects computations of a thread: rounding, whether subnormal numbers count as zero, and protection
/// keys (pkeys(7)). Chunks run in the state of their job's thread. These functions cost nanoseconds.
class ThreadState {
public:
  static ThreadState own() noexcept;

  /// Returns the floating-point state that a program starts with, and the calling thread's protection keys.
  static ThreadState initial() noexcept;

private:
  friend class InState;

  ThreadState(std::uint64_t floating_point, std::uint32_t keys) noexcept
      : floating_point_(floating_point), keys_(keys) {}

  std::uint64_t floating_point_; // the control registers, without the bits that enable traps
  std::uint32_t keys_;
};

/// Floating-point exceptions: bits of FE_ALL_EXCEPT, and on x86 also the bit for a subnormal operand.
using Exceptions = unsigned;

/// While it lives, the calling thread computes in another thread's state, with all exception flags clear and
/// traps disabled. The destructor restores the thread's own state, including its exception flags.
class InState {
public:
  explicit InState(const ThreadState& state) noexcept;
  ~InState();
  InState(const InState&) = delete;
  InState& operator=(const InState&) = delete;

  /// Returns the exceptions raised since the object was made.
  Exceptions raised() const noexcept;

private:
  std::fenv_t before_; // x86: includes the x87 part if has_changed_x87_
  std::uint32_t keys_before_ = 0;
  bool has_changed_x87_ = false;
};

/// Raises the exceptions in the calling thread. It gets SIGFPE if it has enabled a trap for one of these.
void raise_exceptions(Exceptions exceptions) noexcept;

} // namespace helper::team
