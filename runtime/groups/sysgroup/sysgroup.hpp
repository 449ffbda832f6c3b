// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "groups/sysgroup/channel.hpp"
#include "groups/tree/enrolment.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// A system-ranked group from the view of one member: its place in the tree, and how to reach its neighbours
/// there. Only one thread at a time may use it, as with a communicator.
class Sysgroup {
public:
  struct Neighbour {
    int rank;    ///< in the channel
    int port;    ///< the neighbour's port, for messages to it
    int process; ///< its index among the node's processes if the neighbour shares the arena; otherwise -1

    bool is_near() const noexcept { return process >= 0; }
  };

  /// A member's view of a group consists of its place in the tree and what it needs to communicate there.
  struct LocalView {
    GroupChannel::Membership membership;
    tree::Place place;
    tree::Rank parent; ///< the parent's rank; undefined at the root
    GroupChannel::Port port;
    std::vector<Neighbour> neighbours; ///< the children in the order of their ranks, then the parent
  };

  /// Which processes of a communicator are neighbours in its tree.
  enum class TreeLayout {
    by_rank, ///< neighbours in the implicit tree of the ranks
    by_node  ///< processes of a node, as tree::by_nodes arranges them
  };

  /// Makes the group of a whole communicator. Collective over the communicator. Returns nullptr if
  /// GroupChannel::of returns nullptr. Throws MpiError and PeerGaveUp.
  static std::shared_ptr<Sysgroup> of_communicator(MPI_Comm comm, TreeLayout layout, int branching,
                                                   team::Member& member);

  /// Makes `count` groups of members of this group. Returns the group with index `own`, which this process
  /// joins, or nullptr if `own` is negative. Collective; blocks, lending `member`. `function` is for reports.
  /// Throws MpiError and PeerGaveUp.
  std::shared_ptr<Sysgroup> enrol(const char* function, const tree::Scheme& scheme, int count, int own,
                                  team::Member& member);

  ~Sysgroup();
  Sysgroup(const Sysgroup&) = delete;
  Sysgroup& operator=(const Sysgroup&) = delete;

  GroupChannel& channel() const noexcept { return *channel_; }
  const tree::Place& place() const noexcept { return view_.place; }
  tree::Rank parent_rank() const noexcept { return view_.parent; }
  int port() const noexcept { return view_.port.get_deleter().what; }
  const std::vector<Neighbour>& neighbours() const noexcept { return view_.neighbours; }

  const Name& name() const noexcept { return view_.membership.get_deleter().what; }
  /// Returns this process's rank in MPI_COMM_WORLD.
  int world_rank() const;

  /// Returns the index of the neighbour that is next on the way to another member, whose rank is `target`.
  std::size_t toward(tree::Rank target) const;

  /// Neighbours in a turned tree, by index: the one toward the root (none at the root), and all others.
  struct Turned {
    std::optional<std::size_t> above;
    std::vector<std::size_t> below;
  };
  /// Returns the neighbours in the tree turned so that the member of rank `root` is its root.
  Turned turned_to(tree::Rank root) const;

  /// Returns the ranks of a neighbour and of the members beyond it, in ascending order.
  std::vector<tree::Interval> beyond(std::size_t neighbour) const;

private:
  Sysgroup(std::shared_ptr<GroupChannel> channel, LocalView view);

  bool lies_between_others() const noexcept;

  const std::shared_ptr<GroupChannel> channel_;
  LocalView view_;
  std::int32_t turn_ = 0; // the number of the last enrolment
};

} // namespace helper::groups::sysgroup
