// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/first.hpp"

#include <condition_variable>
#include <mutex>

#include "lifetime/never_destroyed.hpp"

namespace helper::process::first {

namespace {

struct Gate {
  std::mutex mutex; // guards what follows
  std::condition_variable opens;
  int entered = 0;
  bool is_closed = false;
};

// The gate is never destroyed: threads may make communicators until the process ends.
Gate& gate() {
  static lifetime::NeverDestroyed<Gate> instance;
  return *instance;
}

} // namespace

void enter() {
  Gate& all = gate();
  std::unique_lock lock(all.mutex);
  all.opens.wait(lock, [&] { return !all.is_closed; });
  ++all.entered;
}

void leave() noexcept {
  Gate& all = gate();
  const std::lock_guard lock(all.mutex);
  --all.entered;
}

// The only thread to have entered is the only one to close the gate.
Claim::Claim() {
  Gate& all = gate();
  const std::lock_guard lock(all.mutex);
  is_first_ = all.is_closed = all.entered == 1;
}

Claim::~Claim() {
  Gate& all = gate();
  if (!is_first_) return;
  {
    const std::lock_guard lock(all.mutex);
    all.is_closed = false;
  }
  all.opens.notify_all();
}

} // namespace helper::process::first
