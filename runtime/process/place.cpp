// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/place.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "team/team.hpp"
#include "topology/machine.hpp"
#include "transport/node_context.hpp"
#include "transport/patience.hpp"
#include "transport/peer_memory.hpp"
#include "transport/region.hpp"

namespace helper::process {

using topology::Cpuset;
using topology::Machine;

ProcessPlace find_place(const transport::NodeRanks& node) {
  ProcessPlace place{Machine::local().usable(), 1, 0, {}, node.disagreement()};
  std::vector<Cpuset> given;
  for (const std::string& text : node.gather(place.given.str())) given.push_back(*Cpuset::parse(text));
  place.sharers = static_cast<int>(std::ranges::count(given, place.given));
  place.first_sharer = static_cast<int>(std::ranges::find(given, place.given) - given.begin());
  place.share = topology::share(Machine::local(), given, static_cast<int>(node.own()));
  return place;
}

void count_processes(const ProcessPlace& place) {
  const int units = place.given.size();
  if (std::atomic<int>* const threads = transport::node_state().counter(place.first_sharer)) {
    threads->fetch_add(1, std::memory_order_relaxed);
    team::Oversubscription::set(*threads, units, place.sharers);
  } else { // as if each of them had as many as this one
    static constinit std::atomic<int> own{1};
    team::Oversubscription::set(own, units / place.sharers, 1);
  }
}

/// Says what threads do that block in MPI itself.
static std::string describe_patience() {
  const char* const function = transport::Patience::progress_function();
  return function == nullptr
             ? "functions that block in MPI itself occupy their threads"
             : std::string("functions that block in MPI itself lend their threads, by ") + function;
}

std::string describe(const ProcessPlace& place) {
  return "given processing units " + place.given.str() + ", shared by " + std::to_string(place.sharers) +
         " ranks, own share " + place.share.str() + "; " + std::to_string(transport::arena().size() / 1024) +
         " KiB of memory shared with the node, and what MPI_Alloc_mem makes " +
         (transport::can_map() ? "is" : "is not") + "; the system " +
         (transport::peer_memory::can_copy() ? "copies" : "does not copy") + " from process to process; " +
         describe_patience() + (place.disagreement.empty() ? "" : "; " + place.disagreement);
}

} // namespace helper::process
