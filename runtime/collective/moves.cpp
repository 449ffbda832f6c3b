// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/moves.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/schedule.hpp"
#include "collective/shared_operation.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "ranks/arguments.hpp"

namespace helper::collective {

using pipeline::Staging;

namespace {

/// The size and extent of a type; 0 if the type is invalid.
struct DecodedElement {
  explicit DecodedElement(MPI_Datatype of_type) : type(of_type) {
    if (!ranks::valid_data(this, 1, type)) return; // MPI accepts any type for zero elements
    MPI_Count lower_bound = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower_bound, &extent);
  }

  Part part(const void* base, MPI_Aint offset, MPI_Count count) const {
    return {base, offset, count, type, count > 0 ? static_cast<std::size_t>(count * size) : 0};
  }

  MPI_Datatype type;
  MPI_Count size = 0;
  MPI_Count extent = 0;
};

template <class PartOf>
std::vector<Part> for_each_rank(int ranks, const PartOf& part_of) {
  std::vector<Part> all;
  all.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) all.push_back(part_of(rank));
  return all;
}

/// Copies the data that a rank moves to itself.
class OwnCopy {
public:
  OwnCopy(const Part& from, const Part& to, team::Member& member, const Shadow& shadow)
      : bytes_(std::min(from.bytes, to.bytes)), lane_(member, shadow) {
    if (bytes_ == 0) return;
    from_.emplace(from.address(), from.count, from.type, shadow, true);
    to_.emplace(to.address(), to.count, to.type, shadow, true);
    if (bytes_ > pipeline::grain) offer();
  }
  ~OwnCopy() { lane_.finish(); }
  OwnCopy(const OwnCopy&) = delete;
  OwnCopy& operator=(const OwnCopy&) = delete;

  /// Completes the copy. If it is small, it is made here, so that no message waits for it.
  void finish() {
    if (bytes_ == 0) return;
    if (bytes_ <= pipeline::grain) offer();
    lane_.finish();
    to_->store_back();
  }

private:
  void offer() {
    lane_.offer(trace::Stage::copy, bytes_, pipeline::grain,
                [this](std::size_t begin, std::size_t end) noexcept {
                  pipeline::copy_range(*from_, begin, *to_, begin, end - begin);
                });
  }

  const std::size_t bytes_;
  pipeline::Lane lane_;
  std::optional<Stream> from_;
  std::optional<Stream> to_;
};

/// The data for another rank and from it.
struct Exchange {
  int peer;
  std::size_t first; // the number of its first chunk, counted over all exchanges
  std::optional<Stream> out;
  std::optional<Stream> in;
};

/// One rank's exchanges with the others. In each step ranks are paired. So the rank that is at the lowest
/// chunk of the lowest step finds its partner at that chunk or further: ranks never wait in a circle.
class Pairwise {
public:
  Pairwise(const Moves& moves, team::Member& member, const Shadow& shadow)
      : member_(member), shadow_(shadow), name_(moves.name), in_place_(moves.in_place),
        chunk_(shadow.chunk()) {
    const auto ranks = static_cast<std::size_t>(shadow.size()),
               self = static_cast<std::size_t>(shadow.rank());
    for (std::size_t step = 0; step < ranks; ++step) {
      const std::size_t peer = Schedule::partner(step, self, ranks);
      if (peer != self) add(static_cast<int>(peer), moves.out[peer], moves.in[peer]);
    }
  }

  void run() {
    const std::size_t wanted = std::min(lanes, chunks_);
    Staging staging(out_staging_ + in_staging_, wanted, shadow_);
    std::vector<pipeline::Lane> in_flight;
    in_flight.reserve(wanted);
    for (std::size_t index = 0; index < staging.count(); ++index)
      in_flight.emplace_back(member_, shadow_, staging[index]);
    pipeline::run(
        name_, in_flight, chunks_, [this](pipeline::Lane& lane, std::size_t chunk) { pack(lane, chunk); },
        [this](pipeline::Lane& lane, std::size_t chunk) { transfer(lane, chunk); },
        [this](pipeline::Lane& lane, std::size_t chunk) { unpack(lane, chunk); });
    for (Exchange& exchange : exchanges_) {
      if (exchange.in) exchange.in->store_back();
    }
  }

private:
  void add(int peer, const Part& out, const Part& in) {
    const std::size_t chunks = std::max(chunks_of(out), chunks_of(in));
    if (chunks == 0) return;
    Exchange& added = exchanges_.emplace_back(Exchange{peer, chunks_, {}, {}});
    chunks_ += chunks;
    if (out.bytes != 0) {
      added.out.emplace(out.address(), out.count, out.type, shadow_, true);
      if (is_staged(*added.out)) out_staging_ = std::max(out_staging_, std::min(chunk_, out.bytes));
    }
    if (in.bytes != 0) {
      added.in.emplace(in.address(), in.count, in.type, shadow_, false);
      if (!added.in->is_dense()) in_staging_ = std::max(in_staging_, std::min(chunk_, in.bytes));
    }
  }

  std::size_t chunks_of(const Part& part) const { return (part.bytes + chunk_ - 1) / chunk_; }

  const Exchange& exchange_of(std::size_t chunk) const {
    return *std::prev(std::ranges::upper_bound(exchanges_, chunk, {}, &Exchange::first));
  }

  /// Returns the bytes of the chunk with that index in a stream; 0 if the stream ends before it.
  std::size_t bytes_of(const std::optional<Stream>& stream, std::size_t index) const {
    return stream ? std::min(chunk_, stream->size() - std::min(stream->size(), index * chunk_)) : 0;
  }
  bool is_staged(const Stream& out) const { return in_place_ || !out.is_dense(); }

  void pack(pipeline::Lane& lane, std::size_t chunk) {
    const auto& [peer, first, out, in] = exchange_of(chunk);
    const std::size_t bytes = bytes_of(out, chunk - first);
    if (bytes != 0 && is_staged(*out)) lane.pack(*out, (chunk - first) * chunk_, bytes, lane.staging());
  }

  void transfer(pipeline::Lane& lane, std::size_t chunk) {
    const auto& [peer, first, out, in] = exchange_of(chunk);
    const std::size_t index = chunk - first, begin = index * chunk_;
    const int label = tag(MessageKind::move, index);
    if (const std::size_t bytes = bytes_of(out, index); bytes != 0)
      lane.send(is_staged(*out) ? lane.staging() : out->dense() + begin, bytes, peer, label);
    if (const std::size_t bytes = bytes_of(in, index); bytes != 0)
      lane.receive(in->is_dense() ? in->dense() + begin : lane.staging() + out_staging_, bytes, peer, label);
  }

  void unpack(pipeline::Lane& lane, std::size_t chunk) {
    const auto& [peer, first, out, in] = exchange_of(chunk);
    const std::size_t bytes = bytes_of(in, chunk - first);
    if (bytes != 0 && !in->is_dense())
      lane.unpack(*in, (chunk - first) * chunk_, bytes, lane.staging() + out_staging_);
  }

  team::Member& member_;
  const Shadow& shadow_;
  const char* const name_;
  const bool in_place_;
  const std::size_t chunk_;        // bytes
  std::deque<Exchange> exchanges_; // a deque, so that their addresses do not change
  std::size_t chunks_ = 0;
  std::size_t out_staging_ = 0; // what a lane needs, in bytes
  std::size_t in_staging_ = 0;
};

/// Returns whether all parts are so small that each is a single message, which MPI may pack.
bool are_short(const Moves& moves, const Shadow& shadow) {
  const auto is_short = [most = std::min(short_most, shadow.chunk())](const Part& part) {
    return part.bytes <= most;
  };
  return !moves.in_place && std::ranges::all_of(moves.out, is_short) &&
         std::ranges::all_of(moves.in, is_short);
}

/// Moves data through shared memory. Each rank shows parts of equal size for the others, or one for all of
/// them, copies `own`, and stores what the others show for it.
void move_shm_linear(const Moves& moves, OwnCopy& own, team::Member& member, const Shadow& shadow) {
  const auto self = static_cast<std::size_t>(shadow.rank());
  const bool is_same_to_all = moves.operation == Operation::gather || is_allgather(moves.operation);
  const std::size_t shown_parts = is_same_to_all ? 1 : moves.out.size();
  const auto offset = [&](std::size_t rank, const Part& part) { // at which a rank shows the part for `rank`
    return is_same_to_all ? 0 : rank * part.bytes;
  };
  const auto for_each_other = [self](const std::vector<Part>& parts, const auto& visit) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      if (rank != self && parts[rank].bytes != 0) visit(rank, parts[rank]);
  };
  const bool is_rooted = is_regular_rooted(moves.operation);
  SharedOperation shm(moves.name, member, shadow);
  std::size_t bytes = 0; // of a part
  for_each_other(moves.out, [&](std::size_t, const Part& out) { bytes = out.bytes; });
  if (!is_rooted || bytes != 0) {
    shm.contribute(bytes * shown_parts, [&](std::byte* slot, pipeline::Stores stores) {
      bool is_first = true;
      for_each_other(moves.out, [&](std::size_t rank, const Part& out) {
        if (!std::exchange(is_first, false) && is_same_to_all) return;
        const Stream from(out.address(), out.count, out.type, shadow, true);
        pipeline::pack(from, 0, from.size(), slot + offset(rank, out), stores);
      });
    });
    if (is_rooted) shm.tell_others();
  }
  own.finish();
  if (!is_rooted) shm.see_all();
  for_each_other(moves.in, [&](std::size_t rank, const Part& in) {
    Stream to(in.address(), in.count, in.type, shadow, false);
    to.unpack(0, in.bytes, shm.see(static_cast<int>(rank), in.bytes * shown_parts) + offset(self, in));
    to.store_back();
  });
  shm.end_of_contributions();
}

/// Starts the messages of steps [first, last), in each of which a rank has one partner.
void start_short(const Moves& moves, pipeline::Lane& lane, std::size_t first, std::size_t last) {
  const auto ranks = static_cast<std::size_t>(lane.shadow().size());
  const auto self = static_cast<std::size_t>(lane.shadow().rank());
  const auto for_partners = [&](const std::vector<Part>& parts, const auto& start) {
    for (std::size_t step = first; step < last; ++step) {
      const std::size_t peer = Schedule::partner(step, self, ranks);
      if (peer != self && parts[peer].bytes != 0) start(parts[peer], static_cast<int>(peer));
    }
  };
  for_partners(moves.in, [&](const Part& in, int peer) {
    lane.receive(in.address(), in.count, in.type, in.bytes, peer, tag(MessageKind::move, 0));
  });
  for_partners(moves.out, [&](const Part& out, int peer) {
    lane.send(out.address(), out.count, out.type, out.bytes, peer, tag(MessageKind::move, 0));
  });
}

/// Sends each part as one message, up to most_messages at a time. The rank that is at the lowest step finds
/// its partners at that step or further: ranks never wait in a circle.
void move_short(const Moves& moves, OwnCopy& own, team::Member& member, const Shadow& shadow) {
  const pipeline::Chunks steps(static_cast<std::size_t>(shadow.size()), most_messages / lanes);
  std::vector<pipeline::Lane> in_flight;
  while (in_flight.size() < std::min(lanes, steps.count())) in_flight.emplace_back(member, shadow);
  pipeline::run(moves.name, in_flight, steps.count(), [&](pipeline::Lane& lane, std::size_t chunk) {
    start_short(moves, lane, steps.begin(chunk), steps.end(chunk));
    if (chunk == 0) own.finish();
  });
}

void move_by_messages(const Moves& moves, OwnCopy& own, team::Member& member, const Shadow& shadow) {
  if (are_short(moves, shadow)) return move_short(moves, own, member, shadow);
  Pairwise(moves, member, shadow).run();
  own.finish();
}

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
void run(Moves& moves, OwnCopy& own, team::Member& member, const Shadow& shadow) {
  if constexpr (algorithm == Algorithm::shm_linear) {
    move_shm_linear(moves, own, member, shadow);
  } else if constexpr (algorithm == Algorithm::cma) {
    copy_between(moves, member, shadow); // other data go by messages
    move_by_messages(moves, own, member, shadow);
  } else if constexpr (algorithm == Algorithm::linear || algorithm == Algorithm::pairwise) {
    move_by_messages(moves, own, member, shadow);
  } else {
    static_assert(algorithm < Algorithm::shm_linear);
    constexpr bool is_bruck = algorithm == Algorithm::bruck;
    static_assert(is_bruck || !does_any(algorithm, sets::moves & ~sets::rooted & ~sets::allgathers));
    if (is_regular_rooted(moves.operation)) {
      move_along_tree(moves, algorithm, member, shadow);
      return own.finish();
    }
    own.finish(); // an allgather sends the own part from the result
    is_allgather(moves.operation) ? allgather_by_schedule(moves, algorithm, member, shadow)
                                  : alltoall_bruck(moves, member, shadow);
  }
}

} // namespace

bool acceptable(const std::vector<Part>& parts) {
  Part accepted; // the previous part, without its offset
  for (Part part : parts) {
    part.offset = 0;
    if (part == accepted) continue;
    if (part.count != 0 && part.base == MPI_IN_PLACE) return false;
    if (!ranks::valid_data(part.base, part.count, part.type)) return false;
    accepted = part;
  }
  return true;
}

bool are_aliases(const Part& out, const Part& in) noexcept {
  return out.bytes != 0 && in.bytes != 0 && out.type == in.type && out.address() == in.address();
}

Part part(const void* base, MPI_Count count, MPI_Datatype type) {
  if (base == MPI_IN_PLACE || count == 0) return {base}; // whatever the type is
  return DecodedElement(type).part(base, 0, count);
}

std::vector<Part> parts(int ranks, const void* base, MPI_Count count, MPI_Datatype type) {
  const DecodedElement element(type);
  return for_each_rank(ranks,
                       [&](int rank) { return element.part(base, rank * count * element.extent, count); });
}

std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        MPI_Datatype type) {
  const DecodedElement element(type);
  return for_each_rank(ranks, [&](int rank) {
    return element.part(base, displacements[rank] * element.extent, counts[rank]);
  });
}

std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        const MPI_Datatype* types) {
  return for_each_rank(ranks, [&](int rank) {
    if (counts[rank] == 0) return Part{}; // without elements the type may be invalid
    return DecodedElement(types[rank]).part(base, displacements[rank], counts[rank]);
  });
}

std::optional<int> carry(Moves moves, std::size_t bytes, team::Member& member, const Shadow& shadow) {
  const auto self = static_cast<std::size_t>(shadow.rank());
  if (!acceptable(moves.out) || !acceptable(moves.in) || are_aliases(moves.out[self], moves.in[self]))
    return member.decline(reason::arguments);
  Situation found = situation(shadow, bytes);
  found.even_blocks =
      moves.operation != Operation::allgatherv ||
      std::ranges::all_of(moves.in, [&](const Part& part) { return part.bytes == moves.in[0].bytes; });
  return dispatch<sets::moves>(member, moves.operation, std::move(found), [&]<Algorithm by> {
    OwnCopy own(moves.out[self], moves.in[self], member, shadow);
    run<by>(moves, own, member, shadow);
  });
}

} // namespace helper::collective
