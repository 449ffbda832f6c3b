// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "groups/sysgroup/sysgroup.hpp"
#include "ranks/communicator.hpp"
#include "reduction/reducer.hpp"
#include "team/team.hpp"

/// The operations other than a single Sweep. They block, lending `member`, and throw MpiError and PeerGaveUp.
namespace helper::groups::sysgroup {

/// This member's arguments of a gather, checked.
struct GatherCall {
  const char* function;
  std::size_t bytes;                     ///< the size of a block, equal at all members, more than 0
  std::optional<tree::Rank> root;        ///< nothing: all members get the blocks
  std::optional<ranks::Elements> own;    ///< the own block; nothing: it is in `blocks` already
  std::optional<ranks::Elements> blocks; ///< memory for all blocks, in the order of ranks
};

/// Gathers the blocks of all members up the tree to the root. Without a root, gathers them at rank 0 and then
/// passes down the blocks that each member lacks. An edge carries a message for each interval of ranks. A
/// member holds the blocks of all members below it. Collective.
void gather(team::Member& member, const Sysgroup& group, const GatherCall& call);

/// This member's arguments of a scan, checked. The data have at least one byte.
struct ScanCall {
  const char* function;
  ranks::Elements from, to; ///< may be the same
  reduction::Reducer reducer;
};

/// Combines the contributions of rank 0 to this rank, in order. On the way up, each member combines the
/// contributions of each interval of ranks in its subtree. On the way down, it receives the combined data of
/// all ranks before each interval. An edge carries a message for each interval. Collective.
void scan(team::Member& member, const Sysgroup& group, const ScanCall& call);

// Messages by rank. The sender announces data along the tree, or directly if ranks in the group are ranks in
// the channel. It sends the data when the receiver answers. So no member stores addresses of others.

/// This member's arguments of a transfer, checked.
struct Transfer {
  const char* function;
  ranks::Elements data;
  std::int64_t bytes; ///< the size of the data to send, or of the memory to receive into
  tree::Rank peer;    ///< the other member; for receive() also MPI_ANY_SOURCE
  int tag;            ///< for receive() also MPI_ANY_TAG
};

/// Sends data. Waits until the receiver has answered, and if it wants the data, until MPI has sent them.
void send(team::Member& member, const Sysgroup& group, const Transfer& transfer);

/// A received message.
struct Received {
  tree::Rank source;
  int tag;
  std::int64_t bytes;
};

/// Receives data. If they have more than `transfer.bytes` bytes, refuses them and throws Rejected.
Received receive(team::Member& member, const Sysgroup& group, const Transfer& transfer);

// What the members of a group make from it together. The functions are collective over the group.

/// Makes a group of the members of `parent` for each colour, several at the same time, lending `member`.
/// Returns the caller's group; nullptr if its colour is negative. Throws MpiError and PeerGaveUp.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member);

/// Returns members' ranks in the channel, by rank in the group. Lends `member`. Throws MpiError, PeerGaveUp.
std::vector<int> members(const std::shared_ptr<Sysgroup>& group, team::Member& member);

/// Makes a communicator of the group's members, in the order of their ranks in the group, with the error
/// handler of MPI_COMM_WORLD. `members` are their ranks in the channel. Blocks in MPI. Throws MpiError.
MPI_Comm make_communicator(const Sysgroup& group, const std::vector<int>& members);

} // namespace helper::groups::sysgroup
