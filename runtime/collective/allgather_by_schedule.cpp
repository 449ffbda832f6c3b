// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <optional>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/moves.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

/// Holds the places where the ranks' parts go, as streams; there is none of a part without data.
class GatheredParts {
public:
  GatheredParts(const std::vector<Part>& parts, std::size_t self, const Shadow& shadow)
      : shares_(parts.size(), [&](std::size_t rank) { return parts[rank].bytes; }), streams_(parts.size()) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const Part& part = parts[rank];
      if (part.bytes != 0)
        streams_[rank].emplace(part.address(), part.count, part.type, shadow, rank == self);
    }
  }

  const Shares& shares() const { return shares_; }
  const Stream& operator[](std::size_t rank) const { return *streams_[rank]; }

  /// Returns where all parts lie densely, one behind the other; nullptr if they do not.
  std::byte* dense() const {
    std::byte* first = nullptr;
    std::byte* next = nullptr;
    for (const std::optional<Stream>& stream : streams_) {
      if (!stream) continue;
      if (!stream->is_dense() || (next != nullptr && stream->dense() != next)) return nullptr;
      if (first == nullptr) first = stream->dense();
      next = stream->dense() + stream->size();
    }
    return first;
  }

  /// Stores the packed pieces [begin, end) of the other ranks.
  void store(const Pieces& pieces, std::size_t self, std::size_t begin, std::size_t end,
             const std::byte* packed) const noexcept {
    pieces.for_each_part(begin, end,
                         [&](std::size_t rank, std::size_t at, std::size_t bytes, std::size_t first) {
                           const std::size_t in_part = at - shares_.begin(rank);
                           if (rank != self) streams_[rank]->unpack(in_part, in_part + bytes, packed + first);
                         });
  }
  void store_back() const {
    for (const std::optional<Stream>& stream : streams_) {
      if (stream) stream->store_back();
    }
  }

private:
  const Shares shares_;
  std::vector<std::optional<Stream>> streams_;
};

} // namespace

void allgather_by_schedule(const Moves& moves, Algorithm algorithm, team::Member& member,
                           const Shadow& shadow) {
  const auto ranks = static_cast<std::size_t>(shadow.size());
  const auto self = static_cast<std::size_t>(shadow.rank());
  Schedule schedule(self, ranks);
  if (algorithm == Algorithm::ring) {
    schedule.allgather_by_ring();
  } else {
    schedule.allgather_by_doubling();
  }
  const GatheredParts parts(moves.in, self, shadow);
  if (parts.shares().total() == 0) return;
  // How data are cut must not depend on how they lie, which may differ from rank to rank.
  const std::size_t most = elements_in_chunk(shadow, ranks, 1) / parts.shares().owners();
  Pieces pieces(parts.shares(), 1, std::max<std::size_t>(most, 1));
  pieces.start(0);
  std::byte* const dense = pieces.lie_together() ? parts.dense() : nullptr;
  const ScheduledOperation operation{moves.name, member, shadow, schedule, nullptr, MessageKind::move};
  operation.run(
      pieces, dense != nullptr ? 0 : pieces.bytes(), lanes,
      [&](BlockLane& lane) {
        if (dense != nullptr) lane.buffers.partial = dense;
        lane.buffers.contributed = lane.buffers.partial;
        const std::size_t own = lane.pieces.bytes(self);
        if (dense == nullptr && own != 0)
          lane.pack(parts[self], lane.pieces.before(), own, lane.buffers.partial + lane.pieces.begin(self));
      },
      [&](BlockLane& lane) {
        if (dense != nullptr) return;
        lane.offer(trace::Stage::unpack, lane.pieces.bytes(), pipeline::grain,
                   [&parts, &pieces = lane.pieces, self,
                    packed = lane.buffers.partial](std::size_t begin, std::size_t end) noexcept {
                     parts.store(pieces, self, begin, end, packed);
                   });
      });
  parts.store_back();
}

} // namespace helper::collective
