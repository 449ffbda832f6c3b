// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <pthread.h>

#include <atomic>

#ifdef __GLIBC__
// pthread_cleanup_push called these functions in older systems. They are part of the system's binary
// interface (Linux Standard Base), but headers no longer declare them.
extern "C" {
void _pthread_cleanup_push(_pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument);
void _pthread_cleanup_pop(_pthread_cleanup_buffer* buffer, int execute);
}
#endif

/// A user-defined reduction may leave the MPI function that calls it by longjmp, which runs no destructors.
/// But glibc's longjmp runs the cleanup routines of the frames that it leaves, from the innermost to the
/// outermost. Other ways to leave a frame, such as __builtin_longjmp, are not noticed, nor is any jump
/// without glibc. A jump out of an error handler leaves no frame of the library (ranks/error_handlers.hpp).
namespace helper::team {

/// Calls `action()` when a longjmp leaves the scope of this object; in nested scopes, the innermost first. A
/// program without error handlers of its own is not expected to jump, so there the object costs only a test.
class OnJump {
public:
  template <class Action>
  explicit OnJump(const Action& action) noexcept : is_asked_(may_happen()) {
    if (is_asked_) [[unlikely]]
      ask([](void* of) { (*static_cast<const Action*>(of))(); }, const_cast<Action*>(&action));
  }
  ~OnJump() {
    if (is_asked_) [[unlikely]]
      retract();
  }
  OnJump(const OnJump&) = delete;
  OnJump& operator=(const OnJump&) = delete;

  /// Called when the program makes an error handler: from now on a longjmp may leave MPI calls.
  static void expect() noexcept { may_happen_.store(true, std::memory_order_relaxed); }
  static bool may_happen() noexcept { return may_happen_.load(std::memory_order_relaxed); }

private:
#ifdef __GLIBC__
  void ask(void (*action)(void*), void* context) noexcept {
    _pthread_cleanup_push(&buffer_, action, context);
  }
  void retract() noexcept {
    _pthread_cleanup_pop(&buffer_, 0);
  }
  _pthread_cleanup_buffer buffer_;
#else
  void ask(void (*)(void*), void*) noexcept {}
  void retract() noexcept {}
#endif

  // Set when the program makes its first error handler. Relaxed: a longjmp may only leave MPI calls that the
  // program makes later. The program itself orders these calls after the handler, on any thread.
  inline static constinit std::atomic<bool> may_happen_{false};

  const bool is_asked_;
};

} // namespace helper::team
