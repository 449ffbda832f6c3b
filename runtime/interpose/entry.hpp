// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>

#include "interpose/counted.hpp"
#include "interpose/direct.hpp"
#include "interpose/listed.hpp"
#include "interpose/name.hpp"
#include "interpose/volume.hpp"
#include "layout/layout.hpp"
#include "message/message.hpp"
#include "native/quirks.hpp"
#include "process/openmp.hpp"
#include "process/process.hpp"
#include "ranks/error_handlers.hpp"
#include "team/on_jump.hpp"
#include "team/registry.hpp"
#include "transport/patience.hpp"
#include "transport/shadow.hpp"

/// The library intercepts MPI functions. Each has a line in functions.txt, which names its replacements in a
/// phase. This file has what all these functions share.
namespace helper::interpose {

/// Call it in a catch clause. Gives the caught error to its error handler, once, and returns its MPI code.
/// Rethrows what the library does not throw, such as an exception of a user-defined reduction.
int report_failure();

/// Returns `act()`, or what report_failure() returns if it throws.
template <class Act>
[[gnu::always_inline]] inline int reporting(const Act& act) {
  try {
    return act();
  } catch (...) {
    return report_failure();
  }
}

using ranks::error_handlers::with_handlers_last;

/// Like reporting(), within with_handlers_last().
template <class Act>
int reporting_last(const Act& act) {
  return with_handlers_last([&] { return reporting(act); });
}

/// Returns whether the program may pack data of this call of `Native` with its own functions. For a call with
/// several datatypes, returns whether any datatype at all has such functions.
template <auto Native, class... Arguments>
bool may_be_packed(const std::tuple<Arguments...>& arguments) {
  if constexpr (!listed<Native>.neighbors &&
                std::is_same_v<std::tuple_element_t<2, std::tuple<Arguments...>>, MPI_Datatype>)
    return layout::has_functions(std::get<2>(arguments));
  else
    return layout::any_functions();
}

/// `Native` is the PMPI function, the last resort. Each of `Ways` is a callable (Member&, the function's
/// arguments). It returns the MPI code, or, if the next way is to be tried, does and returns nothing.
template <auto Native, auto... Ways>
struct Entry;

template <class... Arguments, int (*Native)(Arguments...), auto... Ways>
struct Entry<Native, Ways...> {
  /// Does what the MPI function does, and counts the call if it causes traffic.
  static int call(Arguments... arguments) {
    return counted<Native>([&] { return act(arguments...); }, arguments...);
  }

  /// Does what call() does, without counting. Outside a phase it is a test and a tail call.
  static int act(Arguments... arguments) {
    if (team::presence.outside()) [[likely]]
      return act_outside(arguments...);
    return perhaps_in_phase(arguments...);
  }

private:
  [[gnu::always_inline]] static inline int act_outside(Arguments... arguments) {
    if constexpr (listed<Native>.packed_by_first || listed<Native>.packed_by_second) {
      if (may_be_packed<Native>(std::tuple(arguments...))) [[unlikely]]
        return packed_outside(arguments...);
    }
    return Mapped<Native>::call(arguments...);
  }

  [[gnu::noinline]] static int packed_outside(Arguments... arguments) {
    return reporting_last([&]() -> int {
      constexpr std::size_t index = listed<Native>.packed_by_second ? 1 : 0;
      constexpr auto way = std::get<index>(std::tuple(Ways...));
      const std::optional<int> code = way(team::alone(), arguments...);
      return code ? *code : Native(arguments...);
    });
  }

  [[gnu::noinline]] static int perhaps_in_phase(Arguments... arguments) {
    team::Member* member = nullptr;
    try {
      member = process::present_member();
    } catch (...) { // making the thread a member needs memory
      return report_failure();
    }
    if (member == nullptr) return act_outside(arguments...);
    if (team::OnJump::may_happen()) [[unlikely]]
      return with_handlers_last([&] { return until_jump(*member, arguments...); });
    const team::InCall in_call(*member, name_of<Native>);
    if constexpr (may_be_helped<Native>) {
      if (process::openmp::is_on()) [[unlikely]]
        return with_help(*member, arguments...);
    }
    return in_phase(*member, arguments...);
  }

  /// Carries the call in a phase. OpenMP threads of the program help if they can and if help is worthwhile.
  [[gnu::noinline]] static int with_help(team::Member& member, Arguments... arguments) {
    int code = MPI_SUCCESS;
    process::openmp::help(member, shared_bytes<Native>(arguments...),
                          [&] { code = in_phase(member, arguments...); });
    return code;
  }

  /// Carries the call in a phase, if a user-defined reduction may leave it by longjmp. If that happens, the
  /// carried operation fails and the member's jobs end.
  [[gnu::noinline]] static int until_jump(team::Member& member, Arguments... arguments) {
    std::optional<team::InCall> in_call(std::in_place, member, name_of<Native>);
    transport::operation::reset(); // forgets the state of an earlier call
    const auto end = [&] {
      transport::operation::fail();
      member.finish_all();
      in_call.reset();
    };
    const team::OnJump jump(end);
    return in_phase(member, arguments...);
  }

  [[gnu::always_inline]] static inline int in_phase(team::Member& member, Arguments... arguments) {
    try {
      std::optional<int> code;
      static_cast<void>(((code = Ways(member, arguments...)) || ...));
      if (!code) code = natively(member, arguments...);
      [[maybe_unused]] trace::Track* const track = member.track();
      if constexpr (!makes_persistent<Native>) { // which moves nothing
        if (track != nullptr && *code == MPI_SUCCESS) record_volume<Native>(*track, arguments...);
      }
      return *code;
    } catch (...) {
      return report_failure();
    }
  }

  /// Calls the native function. While it waits, the thread runs chunks of other members' jobs: see Patience.
  [[gnu::noinline]] static int natively(team::Member& member, Arguments... arguments) {
    if (trace::Track* const track = member.track()) track->went(trace::Way::native);
    const transport::Patience patience(member);
    return Native(arguments...);
  }
};

/// Does what Entry does, for functions that receive, complete or probe. Once this process has a team, `Way`,
/// the first of the ways, replaces the native function outside phases too.
template <auto Native, auto Way, auto... Ways>
struct ReceivingEntry;

template <class... Arguments, int (*Native)(Arguments...), auto Way, auto... Ways>
struct ReceivingEntry<Native, Way, Ways...> {
  static int call(Arguments... arguments) {
    return counted<Native>([&] { return act(arguments...); }, arguments...);
  }

private:
  static int act(Arguments... arguments) {
    if (team::presence.member() == nullptr && message::acts_outside()) [[unlikely]]
      return perhaps_outside(arguments...);
    if constexpr (listed<Native>.receives) {
      if (!message::acts_outside() && message::counts_receives()) return before_teams(arguments...);
    }
    return Entry<Native, Way, Ways...>::act(arguments...);
  }

  /// While MPI receives here, another thread may make the first team of this process. Either that thread sees
  /// the counted request, and lets no message be announced. Or this thread sees acts_outside().
  [[gnu::noinline]] static int before_teams(Arguments... arguments) {
    return with_handlers_last([&]() -> int {
      shm::traffic::begin();
      const int code = message::acts_outside() ? act(arguments...) : Native(arguments...);
      shm::traffic::end(1);
      return code;
    });
  }

  [[gnu::noinline]] static int perhaps_outside(Arguments... arguments) {
    return reporting_last([&]() -> int {
      if (process::present_member() != nullptr) return Entry<Native, Way, Ways...>::act(arguments...);
      team::Member& alone = team::alone();
      std::optional<int> code = Way(alone, arguments...);
#ifndef MPI_HELPER_POLLS_GENERALISED // quirk does_not_poll_generalised
      static_cast<void>((code || ... || (code = Ways(alone, arguments...))));
#endif
      return code ? *code : Native(arguments...);
    });
  }
};

} // namespace helper::interpose
