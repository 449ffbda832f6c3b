// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "groups/sysgroup/sysgroup.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"
#include "reduction/reducer.hpp"

namespace helper::groups::sysgroup {

/// A sweep carries out one operation: it passes once over the tree, up, down, or up and then down, in chunks
/// of which several are in flight. The tree is turned so that its root is the operation's.
///
/// Neighbours on one node show each other chunks in the arena: the data stay where they are, a note says
/// where, and an acknowledgement, if nothing else, says that they are no longer needed. On their way down
/// notes are passed on, so that all of a node read what one has stored. Other neighbours, and all if the data
/// are few, send the bytes.
class Sweep {
public:
  /// A call is a collective operation with the arguments that this member has given, which have been checked.
  struct SweepCall {
    const char* function = nullptr;
    bool gathers = false; ///< contributions move up to the root, and are combined on their way
    bool spreads = false; ///< what the root has moves down to all
    tree::Rank root = 0;
    // Of a datatype with absolute addresses data are at MPI_BOTTOM, which is nullptr.
    std::optional<const void*> from = {}; ///< where this member has data
    std::optional<void*> to = {};         ///< where it gets data
    MPI_Count count = 0;
    MPI_Datatype type = MPI_BYTE;
    std::optional<reduction::Reducer> reducer = {};
  };

  /// Prepares the operation, for which `member`'s team will work. It is local. Throws MpiError and
  /// PeerGaveUp.
  Sweep(team::Member& member, std::shared_ptr<const Sysgroup> group, const SweepCall& call);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  /// Blocks until the operation has finished, lending the member. Throws MpiError and PeerGaveUp.
  void finish();

  /// Does what can be done now, and returns whether the operation has finished. Never blocks. Throws MpiError
  /// and PeerGaveUp.
  bool advance();

  const Sysgroup& group() const noexcept { return *group_; }

private:
  /// A note says where a chunk is: in the part of the arena of a rank of MPI_COMM_WORLD, or in a message that
  /// follows.
  struct PlaceNote {
    static constexpr std::int64_t follows = -1;
    std::int64_t owner = follows;
    std::int64_t offset = 0;
  };

  /// A chunk in flight has a lane and the places of its data.
  struct SweptChunk : pipeline::Lane {
    using Lane::Lane;
    std::byte* packed = nullptr;     // memory of this process for the chunk: a slot that others read, or not
    PlaceNote own;                   // says where `packed` is
    const std::byte* data = nullptr; // what this process has of the chunk: its contribution, then the result
    PlaceNote place;                 // says where `data` is
    std::vector<PlaceNote> notes;    // say where the neighbours have it
    std::unique_ptr<pipeline::Staging> received; // has what neighbours have sent, by neighbour
    std::vector<const std::byte*> operands;
  };

  void make_lanes();
  void start(std::size_t stage, SweptChunk& chunk, std::size_t index);
  void contribute(SweptChunk& chunk, std::size_t index);
  void combine(SweptChunk& chunk, std::size_t index);
  void combine_elements(const SweptChunk& chunk, std::size_t offset, std::size_t begin,
                        std::size_t end) const noexcept;
  void pass_up(SweptChunk& chunk, std::size_t index);
  void pass_down(SweptChunk& chunk, std::size_t index);

  bool combines_for_user() const;
  bool shows(std::size_t neighbour) const;
  bool is_acknowledged(std::size_t index, const PlaceNote& place, bool goes_up) const;
  std::byte* room(SweptChunk& chunk, std::size_t neighbour);
  void await(SweptChunk& chunk, std::size_t index, std::size_t neighbour);
  void await_bytes(SweptChunk& chunk, std::size_t index, std::size_t neighbour);
  const std::byte* arrived(SweptChunk& chunk, std::size_t index, std::size_t neighbour);
  void pass(SweptChunk& chunk, std::size_t index, std::size_t neighbour);
  void acknowledge(SweptChunk& chunk, std::size_t index, std::size_t neighbour);

  std::size_t offset(std::size_t index) const { return index * chunk_; }
  std::size_t bytes(std::size_t index) const { return std::min(chunk_, bytes_ - offset(index)); }

  team::Member& member_;
  const std::shared_ptr<const Sysgroup> group_;
  const SweepCall call_;
  const transport::Shadow& shadow_;
  std::optional<pipeline::Stream> from_, to_;
  std::size_t bytes_ = 0, chunk_ = 0;
  std::size_t count_ = 0, most_lanes_ = 0; // chunks, and those in flight; the same at all members
  std::optional<std::size_t> above_;       // the neighbour on the way to the root
  std::vector<std::size_t> below_;
  std::vector<int> near_; // neighbours that slots are shown to, as processes of the node
  pipeline::Stores stores_ = pipeline::Stores::plain; // into slots
  std::optional<pipeline::SharedStaging> slots_;
  std::optional<pipeline::Staging> staging_;
  std::vector<SweptChunk> chunks_;
  std::optional<pipeline::Flow> flow_;
  unsigned advances_ = 0; // calls of advance() after which the operation was not over
};

} // namespace helper::groups::sysgroup
