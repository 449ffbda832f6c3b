// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collective/pieces.hpp"
#include "collective/reduction.hpp"
#include "collective/shares.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

struct RoundLane;

/// Packs the pieces of a round, or unpacks them.
struct PackPieces {
  static constexpr trace::Stage stage = trace::Stage::pack;
  const pipeline::Stream* from = nullptr;
  const RoundLane* lane = nullptr;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};
struct UnpackPieces {
  static constexpr trace::Stage stage = trace::Stage::unpack;
  const pipeline::Stream* to = nullptr;
  const RoundLane* lane = nullptr;
  void operator()(std::size_t begin, std::size_t end) noexcept;
};

/// Ranks of a shadow that reduce together.
struct Group {
  std::span<const int> ranks; ///< in order; none for all of the shadow's
  std::size_t self;           ///< which of them this rank is
  std::size_t groups; ///< that go through the same rounds, and between them reduce what each has reduced
  std::size_t most;   ///< ranks of the largest of them
};

/// A round in flight.
struct RoundLane : pipeline::Lane {
  RoundLane(team::Member& member, const transport::Shadow& shadow, const Pieces& all)
      : Lane(member, shadow), pieces(all), operands(all.ranks()) {}

  std::size_t round = 0;
  Pieces pieces;
  std::byte* received = nullptr; // the others' contributions to the own piece, one after the other
  std::byte* packed = nullptr;   // the round's pieces, of data that are not dense
  std::byte* result = nullptr;   // of the own piece
  std::vector<const std::byte*> operands;
  std::vector<const std::byte*> of_nodes; // what nodes have of the own piece, where several take part
  PackPieces pack;
  ReduceJob reduce;
  UnpackPieces unpack;
  pipeline::UnpackJob unpack_result;
};

/// The reduction of many elements in rounds, several in flight. In each, a rank sends every other its
/// contribution to the next piece of that one's share, and reduces the next piece of its own share with the
/// team's help. So every element is reduced once, in rank order. What becomes of the results is up to the
/// operation.
class Rounds {
public:
  /// The contributions are all of `from`; all arguments must outlive the object.
  Rounds(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares);
  /// The same among the ranks of `group`, which the shares are for. Where it is this rank alone, the result
  /// of a piece is where the contribution is.
  Rounds(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares, const Group& group);

  /// Runs all rounds, at most `most` at a time. The result of a round's own piece goes to `result(lane)`;
  /// `stages`, callables (RoundLane&), follow one another from there. Blocks, lending the caller; throws
  /// MpiError.
  template <class Result, class... Stages>
  void run(std::size_t most, const Result& result, const Stages&... stages) const;

  // For the stages:

  /// Bytes of the round's piece of `rank`.
  std::size_t bytes(const RoundLane& lane, std::size_t rank) const { return lane.pieces.bytes(rank); }
  /// Where that piece lies: in `stream`, the contributions or one like them, if that is dense, otherwise
  /// packed in the lane.
  std::byte* piece(const pipeline::Stream& stream, const RoundLane& lane, std::size_t rank) const {
    return stream.is_dense() ? stream.dense() + lane.pieces.offset(rank)
                             : lane.packed + lane.pieces.begin(rank);
  }
  /// Bytes of a share before the round's piece.
  std::size_t before(const RoundLane& lane) const { return lane.pieces.before(); }

  /// Sends the own result, if any, to a rank.
  void send_result(RoundLane& lane, std::size_t peer) const;
  /// Receives the results of all others where piece(to, …) says.
  void receive_results(RoundLane& lane, const pipeline::Stream& to) const;
  /// Both, of an operation that gives all results to all.
  void share_results(RoundLane& lane, const pipeline::Stream& to) const;
  /// Stores all pieces into `to`, unless they are there, since it is dense.
  void unpack(RoundLane& lane, const pipeline::Stream& to) const;
  /// Stores the own result into `to`, which has the own share alone.
  void unpack_result(RoundLane& lane, const pipeline::Stream& to) const;

  /// Calls `visit(rank)` for every other rank, each rank beginning behind itself, so that they do not all
  /// turn to the same.
  template <class Visit>
  void for_each_peer(const Visit& visit) const {
    for (std::size_t step = 1; step < shares_.ranks(); ++step) visit((self_ + step) % shares_.ranks());
  }

private:
  int rank_of(std::size_t peer) const {
    return group_.ranks.empty() ? static_cast<int>(peer) : group_.ranks[peer];
  }
  std::size_t received_bytes() const;
  std::size_t packed_bytes() const;
  std::vector<RoundLane> lanes_on(const pipeline::Staging& staging) const;

  void begin(RoundLane& lane, std::size_t round) const;
  void exchange(RoundLane& lane) const;
  void reduce(RoundLane& lane, std::byte* result) const;

  const Reduction& reduction_;
  const pipeline::Stream& from_;
  const Shares& shares_;
  const Group group_;
  const std::size_t self_;
  const std::size_t element_;
  const std::size_t piece_; // elements, the last pieces of shares excepted
};

template <class Result, class... Stages>
void Rounds::run(std::size_t most, const Result& result, const Stages&... stages) const {
  const std::size_t rounds = (shares_.largest() + piece_ - 1) / piece_;
  pipeline::Staging staging(std::max<std::size_t>(received_bytes() + packed_bytes(), 1),
                            std::min(most, rounds), reduction_.shadow);
  std::vector<RoundLane> in_flight = lanes_on(staging);
  pipeline::run(
      reduction_.operation, in_flight, rounds,
      [this](RoundLane& lane, std::size_t round) { begin(lane, round); },
      [this](RoundLane& lane, std::size_t) { exchange(lane); },
      [&](RoundLane& lane, std::size_t) {
        if (bytes(lane, self_) != 0) reduce(lane, result(lane));
      },
      [&](RoundLane& lane, std::size_t) { stages(lane); }...);
}

} // namespace helper::collective
