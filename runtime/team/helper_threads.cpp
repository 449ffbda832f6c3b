// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/helper_threads.hpp"

#include <pthread.h>

#include <csignal>

namespace helper::team {

namespace {

/// All signals blocked for the calling thread while it lives, so that the threads it starts inherit that.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
  sigset_t before_{};
};

} // namespace

HelperThreads::HelperThreads(Team& team, int count, const std::function<void(int)>& begin) : team_(team) {
  const SignalsBlocked blocked;
  for (int i = 0; i < count; ++i) {
    threads_.emplace_back([this, begin, i] {
      begin(i);
      Member& member = team_.add();
      team_.serve(member, [this] { return stop_.load(std::memory_order_acquire); });
      team_.vacate(member);
    });
  }
}

HelperThreads::~HelperThreads() {
  stop_.store(true, std::memory_order_release);
  team_.ring_all();
  for (std::thread& thread : threads_) thread.join();
}

} // namespace helper::team
