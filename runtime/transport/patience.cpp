// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/patience.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <utility>

#include "native/quirks.hpp"
#include "ranks/thread_level.hpp"

// MPIs wait by calling these functions. Declared here, as headers of UCX and OPAL may not be installed.
extern "C" {
[[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker);
[[gnu::visibility("default")]] int opal_progress(); // OPAL calls it even if it uses UCX
}

namespace helper::transport {

Patience::Patience(team::Member& member, bool others_may_call_mpi) noexcept
    : member_(member), pause_(member, team::Woken::by_mpi), before_(current) {
  if (!others_may_call_mpi || ranks::thread_level() != MPI_THREAD_MULTIPLE) current = this;
}

Patience::~Patience() {
  current = before_;
}

const char* Patience::progress_function() noexcept {
  if (ranks::thread_level() == MPI_THREAD_MULTIPLE) return nullptr;
  const auto is_between = [](const char* name, void* own) {
    return dlsym(RTLD_DEFAULT, name) == own && dlsym(RTLD_NEXT, name) != nullptr;
  };
  if (is_between("opal_progress", reinterpret_cast<void*>(opal_progress))) return "opal_progress";
  if (is_between("ucp_worker_progress", reinterpret_cast<void*>(ucp_worker_progress)))
    return "ucp_worker_progress";
  return nullptr;
}

void Patience::asked(int events) noexcept {
  if (events > 0) return pause_.end();
  if (!std::exchange(waits_, true)) return; // not at the first poll: many functions poll only once
  if (member_.help() || team::hooks.advance(member_)) {
    pause_.end();
  } else if (events == 0) {
    pause_.take();
  } else if (team::Oversubscription::by_threads()) {
    sched_yield(); // events are unknown: a sleep after each piece of a long message would be slow
  }
}

namespace {

[[gnu::noinline]] int watch_opal(int (*progress)()) noexcept {
  static const bool tells = !native::quirks::tells_nothing_of_progress();
  return Patience::watch([progress] {
    const int events = progress();
    return tells ? events : -1;
  });
}

} // namespace

} // namespace helper::transport

unsigned ucp_worker_progress(void* worker) {
  static const auto next = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  if (!helper::transport::Patience::is_watched()) [[likely]]
    return next(worker);
  return static_cast<unsigned>(
      helper::transport::Patience::watch([&] { return static_cast<int>(next(worker)); }));
}

int opal_progress() {
  static const auto next = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "opal_progress"));
  if (!helper::transport::Patience::is_watched()) [[likely]]
    return next();
  return helper::transport::watch_opal(next);
}
