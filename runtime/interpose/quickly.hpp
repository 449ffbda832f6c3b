// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "interpose/entry.hpp"
#include "message/quick.hpp"
#include "team/detours.hpp"

/// Entries of functions whose calls MPI mostly handles alone; such a call costs little more than MPI's.
namespace helper::interpose {

using message::quick::not_done;

/// Calls the native function. With a sanitizer, a pointer to Mapped::call() could not be inlined.
template <auto Native>
constexpr auto mapped = [](auto... arguments) { return Mapped<Native>::call(arguments...); };

/// Returns whether a call in a phase can go to MPI despite detours (team/detours.hpp): nothing is recorded,
/// the program has made no error handler, and this process has a team. If so, wakes processes that must poll.
[[gnu::noinline]] inline bool may_be_quick(const team::Member& member) noexcept {
  if (member.track() != nullptr || team::OnJump::may_happen() || !message::acts_outside()) return false;
  shm::traffic::call_for_progress();
  return true;
}

/// Returns the result of `call()` if `may_be`. Otherwise returns not_done, having done nothing.
template <class Call>
[[gnu::always_inline]] inline int straight(const Call& call, bool may_be = !team::detours::any()) {
  if (!may_be) return not_done;
  const team::StepOutside outside;
  return reporting(call);
}

/// Returns the result of `call(member)` if the thread is in a phase, and either calls need no detour or
/// may_be_quick() is true. Otherwise returns not_done, having done nothing.
template <class Call>
[[gnu::always_inline]] inline int quickly(const Call& call) {
  team::Member* const member = team::presence.member();
  return straight([&] { return call(*member); },
                  member != nullptr && (!team::detours::any() || may_be_quick(*member)));
}

/// Calls `Entry` out of line, so that quick calls keep their arguments in registers.
template <class Entry, class... Arguments>
[[gnu::noinline]] int slowly(Arguments... arguments) {
  return Entry::call(arguments...);
}

} // namespace helper::interpose
