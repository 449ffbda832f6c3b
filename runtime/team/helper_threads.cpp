// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/helper_threads.hpp"

#include <pthread.h>

#include <csignal>
#include <system_error>

#include "lifetime/at_end.hpp"

namespace helper::team {

namespace {

/// Blocks signals for the calling thread, so that the threads that it starts inherit the mask. Does not block
/// signals that a thread's own instructions raise, such as SIGSEGV: a program may handle faults in memory
/// that helpers write. Helpers block them only if the calling thread does. Returns the previous mask.
sigset_t block_signals() noexcept {
  sigset_t signals;
  sigset_t before{};
  sigfillset(&signals);
  for (const int fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) sigdelset(&signals, fault);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  return before;
}

} // namespace

// Delegates to another constructor, so that the destructor ends the threads if std::bad_alloc is thrown.
HelperThreads::HelperThreads(Team& team, int count, const std::function<void(int)>& begin)
    : HelperThreads(team) {
  const sigset_t before = block_signals();
  const lifetime::AtEnd restored([&] { pthread_sigmask(SIG_SETMASK, &before, nullptr); });
  try {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, begin, i] {
        begin(i);
        const Oversubscription::HelperPlace place;
        Member& member = team_.add();
        team_.serve(member, [this] { return stop_.load(std::memory_order_acquire); });
        team_.vacate(member);
      });
    }
  } catch (const std::system_error& refused) {
    refusal_ = refused.what();
  }
}

HelperThreads::~HelperThreads() {
  stop_.store(true, std::memory_order_release);
  team_.ring_all();
  for (std::thread& thread : threads_) thread.join();
}

} // namespace helper::team
