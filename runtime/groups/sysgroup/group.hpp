// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "groups/sysgroup/channel.hpp"
#include "groups/tree/enrolment.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// A member's part of a system-ranked group: its place in the tree, and how to reach its neighbours there.
/// For one thread at a time, as a communicator is.
class Group {
public:
  struct Neighbour {
    int rank;     ///< in the channel
    int port;     ///< the neighbour's, for what is sent to it
    bool is_near; ///< it shares its node's arena with this process
  };

  /// What tells a place in a tree from the group that has it.
  struct Seat {
    Channel::Membership membership;
    tree::Place place;
    tree::Rank parent; ///< its rank; of no meaning at the root
    Channel::Port port;
    std::vector<Neighbour> neighbours; ///< the children in the order of their ranks, then the parent
  };

  /// How the tree of a communicator is laid out.
  enum class Layout {
    by_rank, ///< the implicit tree
    by_node  ///< tree::by_nodes
  };

  /// The whole communicator. Collective over it. nullptr as Channel::of has it. Throws MpiError
  /// and PeerGaveUp.
  static std::shared_ptr<Group> of_communicator(MPI_Comm comm, Layout layout, int branching,
                                                team::Member& member);

  /// What those members of this group make that participate; nullptr at the others. Collective over this
  /// group: blocks, lending `member`. Throws MpiError and PeerGaveUp.
  std::shared_ptr<Group> enrol(const tree::Scheme& scheme, bool participates, team::Member& member);

  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  Channel& channel() const noexcept { return *channel_; }
  const tree::Place& place() const noexcept { return seat_.place; }
  tree::Rank parent_rank() const noexcept { return seat_.parent; }
  int port() const noexcept { return seat_.port.what().first; }
  const std::vector<Neighbour>& neighbours() const noexcept { return seat_.neighbours; }

  const Name& name() const noexcept { return seat_.membership.what(); }
  /// This process's, in MPI_COMM_WORLD.
  int world_rank() const;

  /// Which of the neighbours is the next on the way to a member, which is not this one.
  std::size_t toward(tree::Rank target) const;

private:
  Group(std::shared_ptr<Channel> channel, Seat seat);

  const std::shared_ptr<Channel> channel_;
  Seat seat_;
  std::int32_t turn_ = 0; // the last enrolment
};

} // namespace helper::groups::sysgroup
