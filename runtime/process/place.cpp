// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/place.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "team/team.hpp"
#include "topology/machine.hpp"
#include "transport/arena.hpp"
#include "transport/node.hpp"
#include "transport/peer_memory.hpp"
#include "transport/region.hpp"

namespace helper::process {

using topology::Cpuset;
using topology::Machine;

namespace {

/// The texts of all processes of `comm`, in the order of their ranks.
std::vector<std::string> gather_texts(const std::string& mine, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const auto ranks = static_cast<std::size_t>(size);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::vector<int> offsets(ranks + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  std::string all(static_cast<std::size_t>(offsets.back()), ' ');
  PMPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, comm);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

} // namespace

Place find_place(MPI_Comm node) {
  Place place{Machine::local().usable(), 1, 1, 0, {}};
  int rank = 0;
  PMPI_Comm_rank(node, &rank);
  std::vector<Cpuset> given;
  for (const std::string& text : gather_texts(place.given.str(), node)) given.push_back(*Cpuset::parse(text));
  place.ranks = static_cast<int>(given.size());
  place.sharers = static_cast<int>(std::ranges::count(given, place.given));
  place.first_sharer = static_cast<int>(std::ranges::find(given, place.given) - given.begin());
  place.share = topology::share(Machine::local(), given, rank);
  return place;
}

void join_crowd(const Place& place) {
  const int units = place.given.size();
  if (std::atomic<int>* const threads = transport::node::counter(place.first_sharer)) {
    threads->fetch_add(1, std::memory_order_relaxed);
    team::Crowd::set(*threads, units, place.sharers);
  } else { // as if each of them had as many as this one
    static constinit std::atomic<int> own{1};
    team::Crowd::set(own, units / place.sharers, 1);
  }
}

std::string describe(const Place& place) {
  return "given processing units " + place.given.str() + ", shared by " + std::to_string(place.sharers) +
         " ranks, own share " + place.share.str() + "; " + std::to_string(transport::arena::size() / 1024) +
         " KiB of memory shared with the node, and what MPI_Alloc_mem makes " +
         (transport::can_map() ? "is" : "is not") + "; the system " +
         (transport::peer_memory::can_copy() ? "copies" : "does not copy") + " from process to process";
}

} // namespace helper::process
