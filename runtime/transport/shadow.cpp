// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/shadow.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "native/attribute.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"
#include "transport/patience.hpp"
#include "transport/stall.hpp"

namespace helper::transport {

namespace {

// Once shadows own this many communicators, a shadow with few tags gets none, so that programs can make as
// many as without the library (quirk few_communicators). A shadow with all tags always needs one.
constexpr long most_communicators = 32;

// The number of communicators that shadows of this process own. Relaxed: only a hint in the agreement.
std::atomic<long> communicators{0};
// Written by offer(), before any thread communicates.
constinit Terms offered;

constinit native::Attribute<Shadow> shadows;

// The last answer of Shadow::of() on this thread.
thread_local constinit native::Attribute<Shadow>::Last<const Shadow*> last;

// What of() or find() last returned in this thread's operation. The operation keeps the shadow alive.
thread_local constinit const Shadow* in_use = nullptr;

/// Returns whether all of these ranks of MPI_COMM_WORLD are on this node and have a part of its arena.
bool share_arena(const std::vector<int>& world_ranks) {
  return std::ranges::none_of(world_ranks, [](int rank) { return shm::arena().part(rank) == nullptr; });
}

/// Replaces each word by its minimum over the ranks of `user`, lending `member`. Shows `name` to other
/// processes while it waits. Throws MpiError if the reduction cannot start; else returns its code.
int reduce_to_least(std::span<long> words, MPI_Comm user, std::uint64_t name, team::Member& member) {
  int failed = MPI_SUCCESS;
  MPI_Request reduction = MPI_REQUEST_NULL;
  ranks::check(PMPI_Iallreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_LONG, MPI_MIN,
                               user, &reduction));
  const Waits waits(name);
  member.lend_until([&] { return ranks::over(reduction, failed); },
                    [&] { return describe_stall("the first collective operation in a phase", user, name); },
                    team::Woken::by_mpi);
  return failed;
}

/// The words of the agreement. Words with the index of each rank's control block follow (see
/// Shadow::control()).
enum : std::size_t {
  is_taken,
  may_make,
  chunk_bytes,
  units_for_all,
  least_selection,
  complement_of_greatest,
  minus_newest,
  port,
  minus_port,
  words
};

/// Returns this rank's words for the agreement. In the words for control blocks, each rank sets only its own.
std::vector<long> own_words(const Agreement& own, Shadow::Tags tags) {
  const auto selection = static_cast<long>(offered.selection);
  const bool takes_all = tags == Shadow::Tags::all;
  const bool has_few = communicators.load(std::memory_order_relaxed) < most_communicators;
  std::vector<long> all{takes_all || ranks::world::takes_more() ? 1 : 0,
                        takes_all || has_few ? 1 : 0,
                        static_cast<long>(offered.chunk),
                        offered.oversubscribed ? 0 : 1,
                        selection,
                        ~selection,
                        -static_cast<long>(shm::node_context().control.newest()),
                        own.leased.number(),
                        -own.leased.number()};
  if (own.size > shm::CommControl::most_ranks) return all;
  all.resize(words + static_cast<std::size_t>(own.size), LONG_MAX);
  all[words + static_cast<std::size_t>(own.rank)] = own.control == nullptr ? -1 : own.control->index();
  return all;
}

/// Finds the control blocks of all ranks. If a rank has none, no rank uses its own (see Shadow::control()).
void open_control(Agreement& made, const std::vector<int>& world_ranks, std::span<const long> indices,
                  long minus_newest) {
  if (made.control == nullptr) return;
  if (made.failed != MPI_SUCCESS) made.control->keep(); // the agreement may have succeeded at other ranks
  if (!made.control->open(world_ranks, indices, made.bells, made.rank,
                          static_cast<std::uint64_t>(-minus_newest)))
    made.control.reset();
}

/// Returns a hash of the numbers, equal at all processes. Other numbers almost never have the same hash.
template <class Number>
std::uint64_t hash(std::span<const Number> numbers) noexcept {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

/// Returns a pseudo-random number, at least 0, that differs between calls and between threads.
long draw(const Agreement& made) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::array<std::uint64_t, 3> drawn{made.name, reinterpret_cast<std::uintptr_t>(&made),
                                           static_cast<std::uint64_t>(now)};
  return static_cast<long>(hash<std::uint64_t>(drawn) >> 1);
}

/// Makes all ranks lease ports of one number. So far their numbers are from `least` to `greatest`. Usually
/// these are equal, or all ranks can lease `greatest`. But threads that agree on communicators in different
/// orders take numbers from one another. Then the ranks try random numbers. The shadow gets no port if a rank
/// has none left, or if `most_attempts` numbers were in use. Collective and blocking.
void agree_on_port(Agreement& made, long least, long greatest, team::Member& member) {
  constexpr int most_attempts = 16;
  for (int attempt = 0; least != greatest && least != 0 && attempt < most_attempts; ++attempt) {
    if (made.leased.number() != greatest) {
      made.leased = ranks::Port(); // frees its tags, which another communicator may need
      made.leased = ranks::Port::lease(greatest);
    }
    std::array said{long{made.leased.number()}, -long{made.leased.number()}, draw(made)};
    const int failed = reduce_to_least(said, made.user, made.name, member);
    if (made.failed == MPI_SUCCESS) made.failed = failed;
    least = said[0];
    greatest = -said[1];
    if (least != greatest) greatest = ranks::Port::first_drawn | said[2];
  }
  if (least == greatest) {
    made.port = least;
  } else {
    made.leased = ranks::Port();
  }
}

/// Uses world::operations() for messages. Every rank leases a port there.
void take_port(Agreement& made, ranks::RankMap world_ranks) {
  made.comm = ranks::world::operations();
  made.peers = std::move(world_ranks);
  const std::array<std::uint64_t, 2> of_port{made.name, static_cast<std::uint64_t>(made.port)};
  made.name = hash<std::uint64_t>(of_port);
}

/// Makes a communicator for messages. Collective.
void make_communicator(Agreement& made, team::Member& member) {
  made.peers = ranks::RankMap::identity(made.size);
  const Patience patience(member);
  made.comm = ranks::private_copy(made.user); // blocks only briefly: all ranks have come
  if (made.comm != MPI_COMM_NULL) communicators.fetch_add(1, std::memory_order_relaxed);
}

/// Makes the ranks of `user` agree on the shadow. Collective and blocking, lending `member`. Throws MpiError.
Agreement agree(MPI_Comm user, team::Member& member, Shadow::Tags tags) {
  Agreement made{.user = user, .rank = ranks::rank_in(user), .size = ranks::size_of(user)};
  int is_inter = 0;
  ranks::check(PMPI_Comm_test_inter(user, &is_inter));
  if (is_inter != 0) return made;
  const ranks::RankMap map = ranks::world::ranks(user);
  const std::vector<int> world_ranks = map.all();
  // Processes of other MPI_COMM_WORLDs may lack the library. All ranks see such processes, so all return.
  if (ranks::world::comm() != MPI_COMM_NULL && std::ranges::count(world_ranks, MPI_UNDEFINED) != 0)
    return made;
  if (tags == Shadow::Tags::few && ranks::world::operations() != MPI_COMM_NULL)
    made.leased = ranks::Port::lease();
  made.nodes = ranks::Nodes::of(world_ranks, made.rank);
  for (const int rank : made.nodes.ranks(made.nodes.own_node()))
    made.bells.push_back(shm::node_state().bell(map[rank]));
  if (share_arena(world_ranks) && made.size > 1) made.control = shm::node_context().control.lease();

  std::vector<long> agreed = own_words(made, tags);
  made.name = hash<int>(world_ranks);
  made.failed = reduce_to_least(agreed, user, made.name, member);
  const bool is_carried = agreed[is_taken] != 0 && agreed[least_selection] == ~agreed[complement_of_greatest];
  if (is_carried) agree_on_port(made, agreed[port], -agreed[minus_port], member);
  open_control(made, world_ranks, std::span(agreed).subspan(words), agreed[minus_newest]);
  if (!is_carried) {
    made.leased = ranks::Port();
    return made;
  }
  made.chunk = static_cast<std::size_t>(agreed[chunk_bytes]);
  made.is_oversubscribed = agreed[units_for_all] == 0;
  if (made.port != 0) {
    take_port(made, map);
  } else if (agreed[may_make] != 0) {
    make_communicator(made, member);
  }
  return made;
}

} // namespace

void offer(const Terms& terms) noexcept {
  offered = terms;
}

const Shadow* Shadow::of(MPI_Comm user, team::Member& member, Tags tags) {
  if (shadows.holds(last, user)) return in_use = last.what;
  const std::uint64_t epoch = shadows.epoch();

  Shadow* shadow = nullptr;
  ranks::check(shadows.get(user, shadow));
  if (shadow == nullptr) {
    std::unique_ptr<Shadow> made(new Shadow(user, member, tags));
    shadow = made.get();
    int failed = shadows.set(user, made);
    if (failed == MPI_SUCCESS) failed = shadow->agreed_.failed;
    if (failed != MPI_SUCCESS) {
      shadow->failure_.give_up(); // other ranks may wait for this one
      throw ranks::MpiError(MPI_COMM_NULL, failed);
    }
  }
  last = {user, epoch, shadow->carries() ? shadow : nullptr};
  return in_use = last.what;
}

const Shadow* Shadow::find(MPI_Comm user) {
  if (shadows.holds(last, user)) return in_use = last.what;
  Shadow* shadow = nullptr;
  ranks::check(shadows.get(user, shadow));
  return in_use = shadow != nullptr && shadow->carries() ? shadow : nullptr;
}

Shadow::Shadow(Agreement agreed) : failure_(*this, agreed.size), agreed_(std::move(agreed)) {}

Shadow::Shadow(MPI_Comm user, team::Member& member, Tags tags)
    : failure_(*this, ranks::size_of(user)), agreed_(agree(user, member, tags)) {}

Shadow::~Shadow() {
  const bool is_shared = !has_own_communicator();
  if (comm() == MPI_COMM_NULL || (is_shared && ranks::world::operations() == MPI_COMM_NULL))
    return; // MPI has ended
  const int have_given_up = failure_.count();
  if (have_given_up != 0 && control() != nullptr) control()->keep();
  // If ranks have given up, their messages may still arrive. They would reach the next shadow with the same
  // tags or context. So this shadow keeps its port, or its communicator unless all ranks have given up.
  if (is_shared) {
    if (have_given_up != 0) agreed_.leased.keep();
  } else if (have_given_up == 0 || have_given_up == size()) {
    PMPI_Comm_free(&agreed_.comm);
    communicators.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Shadow::forget_answers() noexcept {
  shadows.forget();
}

void operation::reset() noexcept {
  in_use = nullptr;
}

void operation::end() noexcept {
  std::exchange(in_use, nullptr)->failure().end_operation();
}

void operation::fail() noexcept {
  if (in_use != nullptr) std::exchange(in_use, nullptr)->failure().give_up();
}

void operation::fail(MPI_Comm user) noexcept {
  Shadow* found = nullptr;
  if (in_use == nullptr && shadows.get(user, found) == MPI_SUCCESS) in_use = found;
  fail();
}

} // namespace helper::transport
