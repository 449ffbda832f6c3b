// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/port.hpp"
#include "support/draw.hpp"
#include "support/memory_mpi.hpp"
#include "team/bell.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace test_support {

/// The ranks of a shadow communicator. They are threads of one process, with MPI in memory. Each rank is the
/// primary of a team of one or two. A second member helps in LEAVE.
class ThreadRanks {
public:
  /// Places all ranks on one node.
  ThreadRanks(int size, std::size_t chunk, Draw& draw)
      : ThreadRanks(std::vector<int>(static_cast<std::size_t>(size)), chunk, draw) {}
  /// Places each rank on the node that `node_of_rank` gives.
  ThreadRanks(const std::vector<int>& node_of_rank, std::size_t chunk, Draw& draw)
      : mpi_(static_cast<int>(node_of_rank.size()), static_cast<std::uint64_t>(draw.upto(1 << 30))) {
    const auto size = static_cast<int>(node_of_rank.size());
    // Waiting threads yield, since they outnumber the cores. A test may add to that.
    static constexpr std::array yields{yield};
    if (helper::team::hooks.background.empty()) helper::team::hooks.background = yields;
    names_.resize(node_of_rank.size());
    std::iota(names_.begin(), names_.end(), 0);
    draw.shuffle(names_);
    const helper::ranks::RankMap peers(names_);
    for (int rank = 0; rank < size; ++rank) {
      shadows_.emplace_back(
          helper::transport::Agreement{.rank = rank,
                                       .size = size,
                                       .comm = MPI_COMM_WORLD,
                                       .peers = peers,
                                       .port = port_.number(),
                                       .chunk = chunk,
                                       .nodes = helper::ranks::Nodes::named(node_of_rank, rank),
                                       .bells = {names_.size(), &helper::team::Bell::own()}});
      teams_.emplace_back(rank, 1 + draw.upto(1), helper::team::Waiting{});
    }
  }

  static bool yield(helper::team::Member&) noexcept {
    std::this_thread::yield();
    return false;
  }

  /// Calls `body(shadow, member)` at each rank, in a phase of its team.
  template <class Body>
  void run(const Body& body) {
    mpi_.run([&](int name) {
      const auto rank = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
      helper::team::Team& team = teams_[rank];
      std::thread helper;
      if (team.size() == 2) helper = std::thread([&] { in_phase(team, [](helper::team::Member&) {}); });
      in_phase(team, [&](helper::team::Member& member) { body(shadows_[rank], member); });
      if (helper.joinable()) helper.join();
    });
  }

  /// Returns whether all messages have been received and all requests completed.
  bool are_quiet() const { return mpi_.is_quiet(); }

  /// Returns how many messages `rank` has sent.
  std::size_t sent(std::size_t rank) const { return mpi_.sent(names_[rank]); }

private:
  template <class Act>
  static void in_phase(helper::team::Team& team, const Act& act) {
    helper::team::Member& member = team.add();
    team.join(member, "JOIN");
    act(member);
    team.leave(member, "LEAVE");
  }

  MemoryMpi mpi_;
  const helper::ranks::Port port_ = helper::ranks::Port::lease(); // one for all ranks of this process
  std::vector<int> names_;                                        // the number of each rank in MPI
  std::deque<helper::transport::Shadow> shadows_;
  std::deque<helper::team::Team> teams_;
};

} // namespace test_support
