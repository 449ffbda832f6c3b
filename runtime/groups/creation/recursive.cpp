// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/steps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lifetime/at_end.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"
#include "team/bell.hpp"
#include "transport/patience.hpp"

namespace helper::groups::creation {

namespace {

using ranks::Communicator;
using ranks::MpiError;

/// Returns the members in an order that is equal at all of them: the order of MPI_COMM_WORLD, or the
/// communicator's if some members are not in this process's MPI_COMM_WORLD.
std::vector<int> in_order(const Members& members) {
  std::vector<int> ranks = members.ranks;
  if (are_in_one_world(members))
    std::ranges::sort(ranks, {}, [&](int rank) { return ranks::world::rank(members.comm, rank); });
  else
    std::ranges::sort(ranks);
  return ranks;
}

/// Waits for the calling thread's turn, lending `waiting`. All members call it, after a meeting. Returns the
/// lock of the turn, which one thread of the process has at a time. Throws MpiError.
///
/// Each member gets its turn after the member before it in the order. So a member that has its turn waits
/// only for turns at later processes, and never for members that have not come. Turns never wait in a circle
/// if their communicators have the same processes, or processes of one MPI_COMM_WORLD.
std::unique_lock<std::mutex> wait_for_turn(const Members& members, team::Member& waiting) {
  static std::mutex of_process;
  std::unique_lock turn(of_process, std::defer_lock);
  const std::vector<int> ranks = in_order(members);
  const auto own = std::ranges::find(ranks, members.ranks[static_cast<std::size_t>(members.rank)]);
  if (own != ranks.begin()) hear(members, own[-1], waiting);
  waiting.lend_until([&] { return turn.try_lock(); },
                     [] { return std::string("waits for another thread's MPIX_Group_comm_create"); },
                     team::Woken::by_its_bell);
  if (own + 1 != ranks.end()) tell(members, own[1], 0, waiting);
  return turn;
}

/// Owns a communicator made by the algorithm, and makes it return errors: the program's error handlers must
/// not see its failures. Throws MpiError if `code` reports that it was not made.
Communicator returning_errors(MPI_Comm made, int code, const Members& members) {
  if (code != MPI_SUCCESS) throw MpiError(members.comm, code);
  Communicator owned(made);
  PMPI_Comm_set_errhandler(owned, MPI_ERRORS_RETURN);
  return owned;
}

/// Makes a communicator of some members.
template <std::size_t Size>
Communicator create_among(const Members& members, const std::array<int, Size>& some) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  int code = PMPI_Group_incl(members.group, Size, some.data(), &group);
  if (code != MPI_SUCCESS) throw MpiError(members.comm, code);
  code = PMPI_Comm_create_group(members.comm, group, members.tag, &made);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) throw MpiError(MPI_COMM_NULL, code); // the handler of members.comm has seen it
  return returning_errors(made, code, members);
}

/// Merges the caller's part with the part next to it. `pair` contains the leaders of both.
Communicator merge(const Communicator& part, const Communicator& pair, bool is_upper,
                   const Members& members) {
  MPI_Comm made = MPI_COMM_NULL;
  int code = PMPI_Intercomm_create(part, 0, pair, is_upper ? 0 : 1, 0, &made);
  const Communicator both = returning_errors(made, code, members);
  code = PMPI_Intercomm_merge(both, is_upper ? 1 : 0, &made);
  return returning_errors(made, code, members);
}

int class_of(const std::optional<MpiError>& error) {
  int error_class = MPI_SUCCESS;
  if (error) PMPI_Error_class(error->code(), &error_class);
  return error_class;
}

} // namespace

// A member that has failed takes all steps without communicators, so that the others learn of it.
Communicator create_recursively(const Members& members, team::Member& waiting) {
  std::unique_lock turn = wait_for_turn(members, waiting);
  const lifetime::AtEnd over([&] {
    turn.unlock();
    team::Bell::own().ring();
  });
  const transport::Patience patience(waiting);
  std::optional<MpiError> failed;
  const auto attempt = [&](const auto& make) {
    try {
      return make();
    } catch (const MpiError& error) {
      if (!failed) failed = error;
      return Communicator();
    }
  };
  Communicator part = attempt([&] { return create_among(members, std::array{members.rank}); });
  for (int size = 1; size < members.size(); size *= 2) {
    const int index = members.rank / size;
    const int begin = index / 2 * 2 * size;
    const int upper = begin + size;
    if (upper >= members.size()) continue;
    Communicator pair; // only for the exchange of the two leaders
    if (members.rank == begin || members.rank == upper)
      pair = attempt([&] { return create_among(members, std::array{begin, upper}); });
    const int error_class =
        meet(members, begin, std::min(upper + size, members.size()), class_of(failed), waiting);
    if (error_class != MPI_SUCCESS && !failed) failed = MpiError(members.comm, error_class);
    part = failed ? Communicator() : attempt([&] { return merge(part, pair, index % 2 == 1, members); });
  }
  if (failed) throw *failed;
  return part;
}

} // namespace helper::groups::creation
