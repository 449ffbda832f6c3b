// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/create.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lifetime/at_end.hpp"
#include "message/message.hpp"
#include "message/wait.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"
#include "team/bell.hpp"
#include "team/registry.hpp"
#include "transport/patience.hpp"

namespace helper::groups::creation {

namespace {

using ranks::Communicator;
using ranks::MpiError;
using CreationAlgorithm = Options::CreationAlgorithm;

// Whether any node is oversubscribed, equal at all processes of MPI_COMM_WORLD. start() sets it. Relaxed:
// processes that create a communicator together have synchronised with the call of start().
constinit std::atomic<bool> take_turns{false};

void finish(MPI_Request request, const Members& members, team::Member& waiting) {
  int failed = MPI_SUCCESS;
  message::wait_until(waiting, "MPIX_Group_comm_create", members.comm, [&](int* done) {
    *done = ranks::over(request, failed) ? 1 : 0;
    return MPI_SUCCESS;
  });
  ranks::check(failed);
}

/// Returns whether all members are in one MPI_COMM_WORLD; equal at all members. Throws MpiError.
bool are_in_one_world(const Members& members) {
  const auto is_elsewhere = [&](int rank) { return ranks::world::rank(members.comm, rank) == MPI_UNDEFINED; };
  return std::ranges::none_of(members.ranks, is_elsewhere);
}

/// Sends a number to rank `rank` of `members.comm`. Lends `waiting` meanwhile. Throws MpiError.
void tell(const Members& members, int rank, int number, team::Member& waiting) {
  MPI_Request request = MPI_REQUEST_NULL;
  ranks::check(PMPI_Isend(&number, 1, MPI_INT, rank, members.tag, members.comm, &request));
  shm::node_state().ring(ranks::world::rank(members.comm, rank));
  finish(request, members, waiting);
}

/// Receives a number that rank `rank` of `members.comm` sends with tell(). Lends `waiting`. Throws MpiError.
int hear(const Members& members, int rank, team::Member& waiting) {
  int number = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  ranks::check(PMPI_Irecv(&number, 1, MPI_INT, rank, members.tag, members.comm, &request));
  finish(request, members, waiting);
  return number;
}

/// Waits, lending `waiting`, until all members in [begin, end) have come. Returns their greatest `number`.
/// Afterwards members may block briefly in MPI, since none is missing. Throws MpiError.
///
/// In each round a member sends the greatest number that it knows to the member `distance` after it. It
/// receives from the member `distance` before it, so from another sender in each round.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting) {
  const int size = end - begin;
  const auto beside = [&](int distance) {
    return members.ranks[static_cast<std::size_t>(begin + (members.rank - begin + distance + size) % size)];
  };
  for (int distance = 1; distance < size; distance *= 2) {
    tell(members, beside(distance), number, waiting);
    number = std::max(number, hear(members, beside(-distance), waiting));
  }
  return number;
}

/// Returns the members in an order that is equal at all of them: the order of MPI_COMM_WORLD if all are in
/// one, otherwise the order of `members.comm`.
std::vector<int> in_order(const Members& members) {
  std::vector<int> ranks = members.ranks;
  if (are_in_one_world(members))
    std::ranges::sort(ranks, {}, [&](int rank) { return ranks::world::rank(members.comm, rank); });
  else
    std::ranges::sort(ranks);
  return ranks;
}

/// Waits for the calling thread's turn, lending `waiting`. All members call it, after a meeting. Returns a
/// lock that only one thread of the process has at a time: unlocking it ends the turn. Throws MpiError.
///
/// Each member gets its turn after the previous member in the order of in_order(). So a member that has its
/// turn waits only for turns at later processes, and never for members that have not come. Creations never
/// wait in a circle if all use one order: the order of one MPI_COMM_WORLD, or of the same `members.comm`.
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

/// Owns a communicator that the algorithm uses, and makes it return errors: the program's error handlers must
/// not see errors of the algorithm. Throws MpiError if `code` is an error.
Communicator returning_errors(MPI_Comm made, int code, const Members& members) {
  if (code != MPI_SUCCESS) throw MpiError(members.comm, code);
  Communicator owned(made);
  PMPI_Comm_set_errhandler(owned, MPI_ERRORS_RETURN);
  return owned;
}

/// Makes a communicator of the members with the ranks `some` in `members.group`.
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

/// Merges the caller's part with the part after it or, if `is_upper`, before it. `pair` has both leaders.
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

/// Makes the communicator with inter-communicators. All members have met before. Threads of a process take
/// turns. A failure at some members is a failure at all: a member that has failed takes all steps without
/// communicators, so that the others learn of the failure.
///
/// Source: Dinan et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, Algorithm 1. There the
/// leaders of two parts exchange messages over `members.comm`. If MPI ignores the tag of some of these
/// messages, two simultaneous creations by the same processes receive each other's messages. Here each pair
/// of leaders has its own communicator. Two simultaneous merges may still confuse messages at a process that
/// is in both, so creations take turns (quirk merges_cross).
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

/// Returns whether the members meet before MPI makes their communicator; equal at all members. With
/// `automatic` they meet if ranks are oversubscribed: members sleep in a meeting but spin in MPI. Members of
/// several MPI_COMM_WORLDs do not: `take_turns` may differ there.
bool must_meet(const Members& members, CreationAlgorithm algorithm, bool in_phase) {
  if (in_phase) return true;
  if (algorithm != CreationAlgorithm::automatic) return algorithm != CreationAlgorithm::direct;
  return take_turns.load(std::memory_order_relaxed) && are_in_one_world(members);
}

Communicator create_directly(const Members& members, bool patient, team::Member& waiting) {
  std::optional<transport::Patience> patience;
  if (patient) patience.emplace(waiting);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(members.comm, members.group, members.tag, &made);
  if (code != MPI_SUCCESS) throw ranks::MpiError(MPI_COMM_NULL, code);
  return Communicator(made);
}

} // namespace

Options::CreationAlgorithm parse_algorithm(std::string_view text) {
  if (text == "auto") return CreationAlgorithm::automatic;
  if (text == "direct") return CreationAlgorithm::direct;
  if (text == "recursive") return CreationAlgorithm::recursive;
  if (text == "multiway") return CreationAlgorithm::multiway;
  throw std::invalid_argument("one of auto, direct, recursive, multiway");
}

bool parse_outsider(std::string_view text) {
  if (text == "null" || text == "error") return text == "error";
  throw std::invalid_argument("null or error");
}

void start(bool oversubscribed) noexcept {
  take_turns.store(oversubscribed, std::memory_order_relaxed);
}

MPI_Comm create(const Members& members, CreationAlgorithm algorithm, team::Member* member) {
  if (member != nullptr) message::rescue(); // the following call blocks in MPI
  team::Member& waiting = member != nullptr ? *member : team::alone();
  const bool patient = must_meet(members, algorithm, member != nullptr);
  const team::Oversubscription::CountedThreads counted(team::uncounted());
  if (patient) meet(members, 0, members.size(), 0, waiting);
  Communicator made = algorithm == CreationAlgorithm::recursive ? create_recursively(members, waiting)
                                                                : create_directly(members, patient, waiting);
  ranks::inherit_error_handler(members.comm, made);
  return made.release();
}

} // namespace helper::groups::creation
