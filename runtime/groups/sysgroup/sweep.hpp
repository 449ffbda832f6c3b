// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

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

/// A sweep performs one operation. It passes once over the tree: up, down, or up and then down. Several
/// chunks are in flight. The tree is turned so that its root is the root of the operation.
///
/// Neighbours on one node show each other chunks in the arena: they send a note, which names the place of a
/// chunk. An acknowledgement or a later message tells the chunk's owner that no process reads the chunk any
/// more. Notes are passed on downwards, so that all processes of a node read one copy. Other neighbours send
/// the bytes of a chunk. So do all neighbours if there are few bytes.
class Sweep {
public:
  /// A collective operation with this member's arguments, which have been checked.
  struct SweepCall {
    const char* function = nullptr;
    bool gathers = false; ///< contributions move up to the root and are combined on the way
    bool spreads = false; ///< the root's data move down to all
    tree::Rank root = 0;
    // An empty optional means no data. A null pointer may be MPI_BOTTOM, for data with absolute addresses.
    std::optional<const void*> from = {}; ///< where this member's data are
    std::optional<void*> to = {};         ///< where it gets the result
    MPI_Count count = 0;
    MPI_Datatype type = MPI_BYTE;
    std::optional<reduction::Reducer> reducer = {};
  };

  /// Prepares the operation; the team of `member` works for it. Local. Throws MpiError and PeerGaveUp.
  Sweep(team::Member& member, std::shared_ptr<const Sysgroup> group, const SweepCall& call);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  /// Blocks until the operation has finished, lending `member`. Throws MpiError and PeerGaveUp.
  void finish();

  /// Advances without blocking. Returns whether the operation has finished. Throws MpiError and PeerGaveUp.
  bool advance();

  const Sysgroup& group() const noexcept { return *group_; }

private:
  /// The place of a chunk: in a rank's part of the arena, or in a message that follows the note.
  struct PlaceNote {
    static constexpr std::int64_t follows = -1;
    std::int64_t owner = follows;
    std::int64_t offset = 0;
  };

  /// A chunk in flight: its lane, and the places of its data.
  struct SweptChunk : pipeline::Lane {
    using Lane::Lane;
    std::byte* packed = nullptr; // memory of this process for the chunk: a slot that others read, or private
    PlaceNote own;               // says where `packed` is
    const std::byte* data = nullptr; // this process's data of the chunk: its contribution, then the result
    PlaceNote place;                 // says where `data` is
    std::vector<PlaceNote> notes;    // where the neighbours have the chunk
    std::unique_ptr<pipeline::Staging> received; // received data, by neighbour
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
  std::size_t count_ = 0, most_lanes_ = 0; // of chunks, of lanes; equal at all members
  std::optional<std::size_t> above_;       // the neighbour on the way to the root
  std::vector<std::size_t> below_;
  std::vector<int> near_; // neighbours that read the slots, as indices of processes of the node
  pipeline::Stores stores_ = pipeline::Stores::plain; // into slots
  std::optional<pipeline::SharedStaging> slots_;
  std::optional<pipeline::Staging> staging_;
  std::vector<SweptChunk> chunks_;
  std::optional<pipeline::Flow> flow_;
  unsigned advances_ = 0; // calls of advance() that did not finish the operation
};

} // namespace helper::groups::sysgroup

/// The non-blocking operations of this process. Their requests are generalised requests of MPI. A thread that
/// waits for such a request, or for anything in a phase, advances all operations. Only one thread does so at
/// a time. A group's operations run one after the other, in the order of their start.
namespace helper::groups::sysgroup::pending {

/// Makes the list of operations. Call it in MPI_Init, where a lack of memory does no harm.
void make();

/// Advances all operations, unless another thread does. Returns whether one has finished. Call it after
/// make().
bool advance() noexcept;

/// Starts an operation. Throws MpiError.
void begin(std::shared_ptr<const Sysgroup> group, const Sweep::SweepCall& call, MPI_Request* request);

/// Waits until all operations on the group that this process has started have finished, lending `member`.
void settle(const Sysgroup& group, team::Member& member);

} // namespace helper::groups::sysgroup::pending
