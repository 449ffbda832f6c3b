// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/shadow.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "native/attribute.hpp"
#include "native/large_counts.hpp"
#include "transport/arena.hpp"
#include "transport/mpi_error.hpp"
#include "transport/node.hpp"
#include "transport/patience.hpp"
#include "transport/private_copy.hpp"
#include "transport/request.hpp"
#include "transport/stall.hpp"
#include "transport/world.hpp"

namespace helper::transport {

namespace {

// MPICH has some 2,000 communicators. Shadows that need some of their own take no more than a share of them.
constexpr long most_communicators = 256;

// The tag of the message that says that its sender has given up. Those of operations are below.
constexpr int gave_up_tag = Shadow::most_tag + 1;

// What shadows of this process have. A hint for the agreement; orders nothing.
std::atomic<long> communicators{0};
// Written by offer(), before any thread communicates.
constinit Terms offered;

constinit native::Attribute<Shadow> shadows;

// The last answer of Shadow::of().
thread_local constinit native::Attribute<Shadow>::Last<const Shadow*> last;

// What of() has returned to this thread's operation under way, which keeps it alive.
thread_local constinit const Shadow* in_use = nullptr;

/// What the ranks of `user` are in MPI_COMM_WORLD.
std::vector<int> ranks_of_world(MPI_Comm user, int size) {
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(world::rank(user, rank));
  return ranks;
}

/// The parts of the arena that these ranks of MPI_COMM_WORLD have; empty if any has none, or is on another
/// node.
std::vector<const std::byte*> arena_parts(const std::vector<int>& world_ranks) {
  std::vector<const std::byte*> parts;
  for (const int rank : world_ranks) parts.push_back(arena::part(rank));
  if (std::ranges::count(parts, nullptr) != 0) parts.clear();
  return parts;
}

} // namespace

void offer(const Terms& terms) noexcept {
  offered = terms;
}

const Shadow* Shadow::of(MPI_Comm user, team::Member& member, Tags tags) {
  if (shadows.holds(last, user)) return in_use = last.what;
  const std::uint64_t epoch = shadows.epoch();

  Shadow* shadow = nullptr;
  check(shadows.get(user, shadow));
  if (shadow == nullptr) {
    std::unique_ptr<Shadow> made(new Shadow(user, member, tags));
    shadow = made.get();
    int failed = shadows.set(user, made);
    if (failed == MPI_SUCCESS) failed = shadow->failed_;
    if (failed != MPI_SUCCESS) {
      shadow->give_up(); // the others carry on it
      throw MpiError(MPI_COMM_NULL, failed);
    }
  }
  const bool carries = shadow->comm_ != MPI_COMM_NULL && !shadow->gave_up(shadow->rank_);
  last = {user, epoch, carries ? shadow : nullptr};
  return in_use = last.what;
}

Shadow::Shadow(MPI_Comm user, team::Member& member, Tags tags) : user_(user) {
  int is_inter = 0;
  check(PMPI_Comm_test_inter(user, &is_inter));
  if (is_inter != 0) return;
  check(PMPI_Comm_rank(user, &rank_));
  check(PMPI_Comm_size(user, &size_));

  progress_.given_up = decltype(progress_.given_up)(static_cast<std::size_t>(size_));
  for (auto& operation : progress_.given_up) operation = none;
  progress_.own = std::make_unique<GaveUp[]>(static_cast<std::size_t>(size_));
  const std::vector<int> world_ranks = ranks_of_world(user, size_);
  // Whether those of other MPI_COMM_WORLDs have the library nobody knows; all see that there are some.
  if (world::comm() != MPI_COMM_NULL && std::ranges::count(world_ranks, MPI_UNDEFINED) != 0) return;
  if (tags == Tags::few && world::operations() != MPI_COMM_NULL) port_ = Port::lease();
  parts_ = arena_parts(world_ranks);
  nodes_ = Nodes(world_ranks, rank_);
  for (const int rank : world_ranks) bells_.push_back(node::bell(rank));
  if (!parts_.empty() && size_ > 1) window_ = Window::lease();
  const auto selection = static_cast<long>(offered.selection);
  enum {
    is_taken,
    may_make,
    chunk_bytes,
    units_for_all,
    least_selection,
    complement_of_greatest,
    shares,
    minus_newest,
    fields
  };
  std::vector<long> agreed{tags == Tags::all || world::takes_more() ? 1 : 0,
                           communicators.load(std::memory_order_relaxed) < most_communicators ? 1 : 0,
                           static_cast<long>(offered.chunk),
                           offered.takes_turns ? 0 : 1,
                           selection,
                           ~selection,
                           parts_.empty() ? 0 : 1,
                           -static_cast<long>(Window::newest())};
  // Every rank's port and frame, which no other rank says anything of.
  const auto ranks = static_cast<std::size_t>(size_);
  const std::size_t ranks_with_frames = size_ <= Window::most_ranks ? ranks : 0;
  agreed.resize(fields + ranks + ranks_with_frames, LONG_MAX);
  const auto ports = std::span(agreed).subspan(fields, ranks);
  ports[static_cast<std::size_t>(rank_)] = port_.number();
  const auto frames = std::span(agreed).subspan(fields + ranks);
  if (!frames.empty()) frames[static_cast<std::size_t>(rank_)] = window_ == nullptr ? -1 : window_->index();
  MPI_Request agreement = MPI_REQUEST_NULL;
  check(PMPI_Iallreduce(MPI_IN_PLACE, agreed.data(), static_cast<int>(agreed.size()), MPI_LONG, MPI_MIN, user,
                        &agreement));
  name_ = first_name;
  for (const int rank : world_ranks) name_ = next_name(name_, static_cast<std::uint64_t>(rank));
  {
    const Waits waits(name_);
    member.lend_until(
        [&] { return over(agreement, failed_); },
        [&] { return describe_stall("the first collective operation in a phase", user, name_); });
  }
  for (const long port : ports) name_ = next_name(name_, static_cast<std::uint64_t>(port));
  // From here on all ranks are there, and what still blocks does not for long.
  if (agreed[shares] == 0) parts_.clear();
  if (failed_ != MPI_SUCCESS && window_ != nullptr) window_->keep(); // others may look at it all the same
  if (window_ != nullptr && !window_->open(parts_, frames, static_cast<std::uint64_t>(-agreed[minus_newest])))
    window_.reset();
  if (agreed[is_taken] == 0 || agreed[least_selection] != ~agreed[complement_of_greatest]) return;
  chunk_ = static_cast<std::size_t>(agreed[chunk_bytes]);
  takes_turns_ = agreed[units_for_all] == 0;
  if (std::ranges::count(ports, 0) == 0) {
    comm_ = world::operations();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      addresses_.push_back({world_ranks[rank], Port::first_tag(ports[rank]), ports[rank]});
    return;
  }
  port_ = Port();
  if (agreed[may_make] == 0) return;
  for (int rank = 0; rank < size_; ++rank) addresses_.push_back({rank, 0, 0});
  const Patience patience(member);
  comm_ = private_copy(user);
  if (comm_ != MPI_COMM_NULL) communicators.fetch_add(1, std::memory_order_relaxed);
}

Shadow::~Shadow() {
  const bool is_shared = !has_own_communicator();
  if (comm_ == MPI_COMM_NULL || (is_shared && world::operations() == MPI_COMM_NULL)) return; // MPI has ended
  while (receive_in_vain(gave_up_tag)) {
  }
  const auto have_given_up = std::ranges::count_if(
      progress_.given_up, [](const auto& operation) { return operation.load() != none; });
  if (have_given_up != 0) {
    sweep();
    if (window_ != nullptr) window_->keep();
  }
  // Where somebody has given up, messages may still come in vain, unless it is known that all have. They
  // would reach the next shadow with the same tags, or the next communicator that MPI gives the same context,
  // so this one keeps them.
  if (is_shared) {
    if (have_given_up != 0) port_.keep();
  } else if (have_given_up == 0 || have_given_up == size_) {
    PMPI_Comm_free(&comm_);
    communicators.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Shadow::begin_operation() noexcept {
  in_use = nullptr;
}

void Shadow::end_operation() noexcept {
  ++std::exchange(in_use, nullptr)->progress_.carried;
}

void Shadow::decline_operation() noexcept {
  in_use = nullptr;
}

void Shadow::fail_operation() noexcept {
  if (in_use != nullptr) std::exchange(in_use, nullptr)->give_up();
}

void Shadow::fail_operation(MPI_Comm user) noexcept {
  Shadow* found = nullptr;
  if (in_use == nullptr && shadows.get(user, found) == MPI_SUCCESS) in_use = found;
  fail_operation();
}

void Shadow::give_up() const noexcept {
  std::uint64_t before = none;
  if (comm_ == MPI_COMM_NULL ||
      !progress_.given_up[static_cast<std::size_t>(rank_)].compare_exchange_strong(before, progress_.carried))
    return;
  shadows.forget();
  GaveUp* const told = progress_.own.release(); // kept for good: it may be under way for long
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    GaveUp& message = told[rank] = {progress_.carried, addresses_[static_cast<std::size_t>(rank)].port};
    const auto [peer, tag] = to(rank, gave_up_tag);
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Isend(&message, sizeof message, MPI_BYTE, peer, tag, comm_, &request);
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
    ring(rank);
  }
}

void Shadow::check_peers() const {
  while (receive_in_vain(gave_up_tag)) {
  }
  for (int rank = 0; rank < size_; ++rank) {
    if (gave_up(rank)) throw PeerGaveUp(user_, rank);
  }
}

void Shadow::sweep() const noexcept {
  if (has_own_communicator()) {
    while (receive_in_vain(MPI_ANY_TAG)) {
    }
    return;
  }
  for (int tag = 0; tag <= gave_up_tag; ++tag) {
    while (receive_in_vain(tag)) {
    }
  }
}

void Shadow::note_given_up(int peer, const GaveUp& message) const noexcept {
  const auto sender = std::ranges::find(addresses_, peer, &Address::rank);
  if (sender == addresses_.end() || message.port != port_.number()) return;
  progress_.given_up[static_cast<std::size_t>(sender - addresses_.begin())].store(message.operation,
                                                                                  std::memory_order_relaxed);
}

// Matched, so that no other thread of a channel takes away what this one would then wait for.
bool Shadow::receive_in_vain(int tag) const noexcept {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  const int own_tag = tag == MPI_ANY_TAG ? tag : from(rank_, tag).tag;
  const int code = PMPI_Improbe(MPI_ANY_SOURCE, own_tag, comm_, &there, &message, &status);
  if (code != MPI_SUCCESS || there == 0) return false;
  if (status.MPI_TAG == from(rank_, gave_up_tag).tag) {
    GaveUp given_up{none, 0};
    PMPI_Mrecv(&given_up, sizeof given_up, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    note_given_up(status.MPI_SOURCE, given_up);
    return true;
  }
  // All of it: if it did not fit, MPI would call the error handler of MPI_COMM_WORLD.
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  const std::unique_ptr<std::byte[]> data(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  // Without memory its sender is not rid of it, but knows that this rank has given up.
  if (data != nullptr) PMPI_Mrecv_c(data.get(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  return true;
}

void Shadow::leave_predefined() {
  shadows.reset_predefined();
}

void Shadow::stop() {
  shadows.free();
}

} // namespace helper::transport
