// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "collective/selection.hpp"
#include "pipeline/stream.hpp"
#include "shm/peer_memory.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

using pipeline::Stream;

/// The reasons for leaving a call to native MPI, as passed to Member::decline().
namespace reason {
inline constexpr const char* arguments = "nothing to do, or arguments for MPI to judge";
inline constexpr const char* kernel = "no kernel for this operation on this type";
inline constexpr const char* shadow = "a communicator without shadow";
inline constexpr const char* one_rank = "one rank";
inline constexpr const char* posts = "as many persistent operations on this communicator as can be carried";
inline constexpr const char* refused = "the system does not let processes copy from one another any more";
inline constexpr const char* selection = "native MPI is the faster, or was asked for";
} // namespace reason

/// Describes the situation of an operation on `bytes` bytes among the ranks of a shadow.
inline Situation situation(const Shadow& shadow, std::size_t bytes) {
  const bool shares_memory = shadow.control() != nullptr;
  Situation found{bytes, shadow.size(), shares_memory};
  found.can_copy = shares_memory && shm::peer_memory::can_copy();
  found.oversubscribed = shadow.is_oversubscribed();
  found.chunk = shadow.chunk();
  if (shadow.nodes().count() > 1) {
    found.nodes = static_cast<int>(shadow.nodes().count());
    found.most_on_node = static_cast<int>(shadow.nodes().most());
    found.fewest_on_node = static_cast<int>(shadow.nodes().fewest());
  }
  return found;
}

/// Records which algorithm carries `member`'s current call; the last record counts.
inline void record(const team::Member& member, Algorithm algorithm) noexcept {
  if (member.track() != nullptr) member.carried_by(name(algorithm).data());
}

/// Calls `run<algorithm>()`. `run` must compile with each algorithm that the table has for an operation of
/// the set `operations`. Returns the result of `run`, or true if `run` returns void.
template <std::uint32_t operations, class Run>
bool run_by(Algorithm algorithm, const Run& run) {
  bool is_carried = false;
  const auto perhaps = [&]<Algorithm each> {
    if constexpr (each != Algorithm::native && does_any(each, operations)) {
      if (each != algorithm) return;
      if constexpr (std::is_void_v<decltype(run.template operator()<each>())>)
        run.template operator()<each>(), is_carried = true;
      else
        is_carried = run.template operator()<each>();
    }
  };
  [&]<std::size_t... number>(std::index_sequence<number...>) {
    (perhaps.template operator()<static_cast<Algorithm>(number)>(), ...);
  }
  (std::make_index_sequence<algorithm_names.size()>());
  return is_carried;
}

/// Selects an algorithm for `operation`, one of the set `operations`, and carries the call of `member` with
/// it. If a rank has no slot left, `run<algorithm>()` moves nothing and returns false at all ranks. Then
/// another algorithm is used. Returns nothing if native MPI must carry the call.
template <std::uint32_t operations, class Run>
std::optional<int> dispatch(team::Member& member, Operation operation, Situation&& situation,
                            const Run& run) {
  do {
    const Algorithm algorithm = select(operation, situation);
    if (algorithm == Algorithm::native) break;
    record(member, algorithm);
    if (run_by<operations>(algorithm, run)) return MPI_SUCCESS;
  } while (std::exchange(situation.has_slots, false)); // at most twice
  member.carried_by(nullptr);
  return member.decline(reason::selection);
}

} // namespace helper::collective
