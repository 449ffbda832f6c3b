// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// The library begins with the first communicator that a process has with others, if that is one of all
/// processes, and the first at each. Before there is one nothing is communicated, so that no thread carries
/// an operation of which another process, where the library has not begun yet, knows nothing.
namespace helper::process::first {

/// Says that the calling thread is about to make a communicator. Waits while the library begins.
void enter();

/// Says that the communicator has no others than this process, that there is none after all, or that it is
/// gone.
void leave() noexcept;

/// Enters, and leaves at its end: it is for what is no communicator, but must not be while the library
/// begins.
class Pass {
public:
  Pass() { enter(); }
  ~Pass() { leave(); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
};

/// The communicators that other threads are about to make wait while this lives. It is for a thread that has
/// entered and made one of all processes, until these have agreed and the library has begun.
class Claim {
public:
  Claim();
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Tells whether that communicator is the only one.
  bool is_first() const noexcept { return is_first_; }

private:
  bool is_first_;
};

} // namespace helper::process::first
