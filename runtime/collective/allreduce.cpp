// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <vector>

#include "collective/collective.hpp"
#include "collective/recursive_doubling.hpp"
#include "collective/reducer.hpp"
#include "collective/selection.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "pipeline/stream.hpp"
#include "transport/arguments.hpp"

namespace helper::collective {

namespace {

using pipeline::Lane;
using pipeline::Staging;
using pipeline::Stream;
using transport::Shadow;

/// How the elements are cut: a round is a run of elements that is cut into one block per rank, its owner.
class Rounds {
public:
  Rounds(std::size_t elements, std::size_t element, const Shadow& shadow)
      : elements_(elements), ranks_(static_cast<std::size_t>(shadow.size())) {
    // What a rank receives of its block in one round is a chunk in total.
    const std::size_t peers = std::max<std::size_t>(ranks_ - 1, 1);
    const std::size_t block = std::max<std::size_t>(shadow.chunk() / peers / element, 1);
    round_ = ranks_ * std::min(block, (elements + ranks_ - 1) / ranks_);
  }

  std::size_t count() const { return (elements_ + round_ - 1) / round_; }
  std::size_t most_elements() const { return round_; }
  std::size_t most_in_block() const { return round_ / ranks_; }
  std::size_t begin(std::size_t round) const { return round * round_; }
  std::size_t size(std::size_t round) const { return std::min(round_, elements_ - begin(round)); }

  /// The first element of a rank's block, relative to the round's first.
  std::size_t block(std::size_t round, std::size_t rank) const { return size(round) * rank / ranks_; }

private:
  std::size_t elements_;
  std::size_t ranks_;
  std::size_t round_;
};

/// Reduces elements of a rank's own block; run by helpers where they may.
struct ReduceJob {
  const Reducer* reducer = nullptr;
  std::span<const std::byte* const> operands;
  std::byte* out = nullptr;

  void operator()(std::size_t begin, std::size_t end) noexcept { reducer->reduce(operands, begin, end, out); }
};

struct AllreduceLane : Lane {
  using Lane::Lane;
  const std::byte* contributed = nullptr; // the round's elements of this rank, packed
  std::byte* result = nullptr;            // where the round's results gather, packed
  std::byte* received = nullptr;          // other ranks' contributions to the own block, one after the other
  std::byte* packed = nullptr;            // staging for contributions and results that are not dense
  std::vector<const std::byte*> operands;
  pipeline::PackJob pack;
  ReduceJob reduce;
  pipeline::UnpackJob unpack;
};

/// Reduce-scatter and allgather of one round after the other, several in flight. Every element is reduced
/// once, by the owner of its block.
class Exchange {
public:
  Exchange(team::Member& member, const Shadow& shadow, const Reducer& reducer, const Stream& from,
           const Stream& to)
      : member_(member), shadow_(shadow), reducer_(reducer), from_(from), to_(to),
        element_(reducer.element()), rounds_(from.size() / element_, element_, shadow) {}

  void run();

private:
  bool in_place() const { return from_.is_dense() && to_.is_dense(); }
  std::size_t ranks() const { return static_cast<std::size_t>(shadow_.size()); }
  std::size_t self() const { return static_cast<std::size_t>(shadow_.rank()); }
  std::size_t offset(std::size_t round, std::size_t rank) const {
    return rounds_.block(round, rank) * element_;
  }
  std::size_t bytes(std::size_t round, std::size_t rank) const {
    return offset(round, rank + 1) - offset(round, rank);
  }
  /// Calls `visit(rank)` for every other rank, each rank beginning behind itself, so that they do not all
  /// turn to the same.
  template <class Visit>
  void for_each_peer(const Visit& visit) const;

  void gather(AllreduceLane& lane, std::size_t round);
  void exchange(AllreduceLane& lane, std::size_t round);
  void reduce(AllreduceLane& lane, std::size_t round);
  void share(AllreduceLane& lane, std::size_t round);
  void scatter(AllreduceLane& lane, std::size_t round);

  team::Member& member_;
  const Shadow& shadow_;
  const Reducer& reducer_;
  const Stream& from_;
  const Stream& to_;
  const std::size_t element_;
  const Rounds rounds_;
};

template <class Visit>
void Exchange::for_each_peer(const Visit& visit) const {
  for (std::size_t step = 1; step < ranks(); ++step) visit((self() + step) % ranks());
}

void Exchange::run() {
  const std::size_t received = (ranks() - 1) * rounds_.most_in_block() * element_;
  const std::size_t packed = in_place() ? 0 : rounds_.most_elements() * element_;
  const std::size_t wanted = std::min(lanes, rounds_.count());
  Staging staging(std::max<std::size_t>(received + packed, 1), wanted);
  std::vector<AllreduceLane> in_flight;
  for (std::size_t index = 0; index < staging.count(); ++index) {
    AllreduceLane& lane = in_flight.emplace_back(member_, shadow_);
    lane.received = staging[index];
    lane.packed = staging[index] + received;
    lane.operands.resize(ranks());
  }
  try {
    pipeline::run(
        "MPI_Allreduce", in_flight, rounds_.count(),
        [this](AllreduceLane& lane, std::size_t round) { gather(lane, round); },
        [this](AllreduceLane& lane, std::size_t round) { exchange(lane, round); },
        [this](AllreduceLane& lane, std::size_t round) { reduce(lane, round); },
        [this](AllreduceLane& lane, std::size_t round) { share(lane, round); },
        [this](AllreduceLane& lane, std::size_t round) { scatter(lane, round); });
  } catch (...) {
    if (shadow_.left_behind()) staging.abandon();
    throw;
  }
}

void Exchange::gather(AllreduceLane& lane, std::size_t round) {
  const std::size_t first = rounds_.begin(round) * element_;
  if (in_place()) {
    lane.contributed = from_.dense() + first;
    lane.result = to_.dense() + first;
    return;
  }
  lane.contributed = lane.result = lane.packed;
  lane.pack = {&from_, first, lane.packed};
  lane.offer(lane.pack, rounds_.size(round) * element_, pipeline::grain);
}

void Exchange::exchange(AllreduceLane& lane, std::size_t round) {
  const std::size_t mine = bytes(round, self());
  std::byte* next = lane.received;
  lane.operands[self()] = lane.contributed + offset(round, self());
  for_each_peer([&](std::size_t peer) {
    lane.operands[peer] = next;
    if (mine != 0) lane.receive(next, mine, static_cast<int>(peer), tag(Message::contribution, round));
    next += mine;
  });
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = bytes(round, peer);
    if (theirs == 0) return;
    lane.send(lane.contributed + offset(round, peer), theirs, static_cast<int>(peer),
              tag(Message::contribution, round));
  });
}

void Exchange::reduce(AllreduceLane& lane, std::size_t round) {
  const std::size_t elements = bytes(round, self()) / element_;
  std::byte* const out = lane.result + offset(round, self());
  if (elements == 0) return;
  if (!reducer_.helpers_may()) {
    reducer_.reduce(lane.operands, 0, elements, out);
    return;
  }
  lane.reduce = {&reducer_, lane.operands, out};
  lane.offer(lane.reduce, elements, std::max<std::size_t>(pipeline::grain / element_, 1));
}

// Results may land in the buffer that the contributions were sent from: exchange() has settled, so they are
// gone.
void Exchange::share(AllreduceLane& lane, std::size_t round) {
  for_each_peer([&](std::size_t peer) {
    const std::size_t theirs = bytes(round, peer);
    if (theirs == 0) return;
    lane.receive(lane.result + offset(round, peer), theirs, static_cast<int>(peer),
                 tag(Message::result, round));
  });
  const std::size_t mine = bytes(round, self());
  if (mine == 0) return;
  for_each_peer([&](std::size_t peer) {
    lane.send(lane.result + offset(round, self()), mine, static_cast<int>(peer), tag(Message::result, round));
  });
}

void Exchange::scatter(AllreduceLane& lane, std::size_t round) {
  if (in_place()) return;
  lane.unpack = {&to_, rounds_.begin(round) * element_, lane.packed};
  lane.offer(lane.unpack, rounds_.size(round) * element_, pipeline::grain);
}

} // namespace

std::optional<int> allreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const void* const source = send == MPI_IN_PLACE ? receive : send;
  if (comm == MPI_COMM_NULL || count <= 0 || send == receive || receive == MPI_IN_PLACE ||
      !transport::valid_data(source, count, type) || !transport::valid_data(receive, count, type))
    return std::nullopt;
  const std::optional<Reducer> reducer = Reducer::of(op, type);
  if (!reducer || reducer->element() == 0 || reducer->element() > std::numeric_limits<int>::max())
    return std::nullopt;
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return std::nullopt;

  const std::size_t bytes = static_cast<std::size_t>(count) * reducer->element();
  const reduction::Kernel* const kernel = reducer->plain_kernel();
  const Algorithm algorithm =
      select(Operation::allreduce, {bytes, shadow->size(), shadow->shares_memory(), kernel != nullptr});
  if (algorithm == Algorithm::native) return std::nullopt;
  if (algorithm == Algorithm::doubling) {
    recursive_doubling(member, *shadow, *kernel, source, receive, static_cast<std::size_t>(count));
    return MPI_SUCCESS;
  }
  const Stream from(const_cast<void*>(source), count, type, *shadow, true);
  Stream to(receive, count, type, *shadow, false);
  Exchange(member, *shadow, *reducer, from, to).run();
  to.store_back();
  return MPI_SUCCESS;
}

} // namespace helper::collective
