// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <pthread.h>

#include <atomic>
#include <optional>
#include <utility>

#ifdef __GLIBC__
// The functions that pthread_cleanup_push used. They are part of the binary interface of the system (Linux
// Standard Base), but no header declares them any more.
extern "C" {
void _pthread_cleanup_push(_pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument);
void _pthread_cleanup_pop(_pthread_cleanup_buffer* buffer, int execute);
}
#endif

/// An error handler of the user's may leave the MPI function that it was called in by longjmp, which runs no
/// destructors. But glibc's longjmp runs the cleanup routines of the frames that it leaves, from the
/// innermost to the outermost, as long as they are still whole. Exceptions are no jumps: they run
/// destructors.
///
/// What leaves a frame otherwise, such as __builtin_longjmp, is not noticed, nor is any jump without glibc.
namespace helper::team {

/// Calls `action(context)` when a jump leaves the scope. Scopes are left in the reverse order of their
/// making. It takes 2 ns, but only a test in a program without error handlers of its own: nothing jumps.
class OnJump {
public:
  OnJump(void (*action)(void*), void* context) noexcept : is_asked_(may_happen()) {
    if (is_asked_) [[unlikely]]
      ask(action, context);
  }
  ~OnJump() {
    if (is_asked_) [[unlikely]]
      retract();
  }
  OnJump(const OnJump&) = delete;
  OnJump& operator=(const OnJump&) = delete;

  /// The program makes an error handler: from now on jumps may leave calls.
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

  // It is set once. Relaxed: the program orders the making of a handler before the calls that call it.
  inline static constinit std::atomic<bool> may_happen_{false};

  const bool is_asked_;
};

/// A `Scope` that ends when a jump leaves it, too.
template <class Scope>
class JumpSafe {
public:
  template <class... Arguments>
  explicit JumpSafe(Arguments&&... arguments)
      : scope_(std::in_place, std::forward<Arguments>(arguments)...) {}

  Scope& operator*() { return *scope_; }
  const Scope& operator*() const { return *scope_; }
  Scope* operator->() { return &*scope_; }
  const Scope* operator->() const { return &*scope_; }

private:
  std::optional<Scope> scope_;
  OnJump jump_{[](void* scope) { static_cast<std::optional<Scope>*>(scope)->reset(); }, &scope_};
};

} // namespace helper::team
