// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "interpose/entry.hpp"
#include "message/quick.hpp"
#include "team/detours.hpp"

/// Entries of functions that MPI alone does in most calls, which then cost little more.
namespace helper::interpose {

using message::quick::not_done;

/// Calls the native function. A pointer to Mapped::call() cannot be inlined with a sanitizer, as that has to
/// be.
template <auto Native>
constexpr auto mapped = [](auto... arguments) { return Mapped<Native>::call(arguments...); };

/// Returns whether a call that may need a detour can go to MPI all the same: the thread is in a phase in
/// which nothing is recorded, and the program has made no error handler.
[[gnu::noinline]] inline bool may_be_quick(const team::Member& member) noexcept {
  if (member.track() != nullptr || team::OnJump::may_happen() || !message::acts_outside()) return false;
  shm::traffic::call_for_progress();
  return true;
}

/// Returns the result of `call()` if calls need no detour, otherwise not_done, having done nothing.
template <class Call>
[[gnu::always_inline]] inline int straight(const Call& call, bool may_be = !team::detours::any()) {
  if (!may_be) return not_done;
  const team::StepOutside outside;
  return reporting(call);
}

/// Does the same for `call(member)` and a thread in a phase, also if calls need detours, but may_be_quick().
template <class Call>
[[gnu::always_inline]] inline int quickly(const Call& call) {
  team::Member* const member = team::presence.member();
  return straight([&] { return call(*member); },
                  member != nullptr && (!team::detours::any() || may_be_quick(*member)));
}

/// Calls `Entry`, out of line: so quick calls have their arguments in registers.
template <class Entry, class... Arguments>
[[gnu::noinline]] int slowly(Arguments... arguments) {
  return Entry::call(arguments...);
}

} // namespace helper::interpose
