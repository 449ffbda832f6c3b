// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// The library begins with the first communicator that a process has with others, if that is one of all
/// processes, and the first at each. Before there is one nothing is communicated, so that no thread carries
/// an operation of which another process, where the library has not begun yet, knows nothing.
namespace helper::process::first {

/// The calling thread is about to make a communicator. Waits while the library begins.
void enter();

/// It has no others than this process, there is none after all, or it is gone.
void leave() noexcept;

/// Enters, and leaves at its end: for what is no communicator, but must not be while the library begins.
class Pass {
public:
  Pass() { enter(); }
  ~Pass() { leave(); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
};

/// While it lives, the communicators that other threads are about to make wait. For a thread that has entered
/// and made one of all processes, until these have agreed and the library has begun.
class Claim {
public:
  Claim();
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Whether that one is the only one.
  bool is_first() const noexcept { return is_first_; }

private:
  bool is_first_;
};

} // namespace helper::process::first
