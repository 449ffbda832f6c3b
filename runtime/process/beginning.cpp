// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What processes find out and agree on when the library starts on all of them.

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "collective/network.hpp"
#include "collective/nonblocking.hpp"
#include "groups/sysgroup/channel.hpp"
#include "groups/sysgroup/sweep.hpp"
#include "message/message.hpp"
#include "process/notices.hpp"
#include "process/process.hpp"
#include "process/state.hpp"
#include "ranks/node_ranks.hpp"
#include "ranks/nodes.hpp"
#include "ranks/world.hpp"
#include "reduction/kernel.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"
#include "shm/region.hpp"
#include "shm/traffic.hpp"
#include "team/pause.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"
#include "transport/shadow.hpp"

namespace helper::process {

using topology::Cpuset;
using topology::Machine;

namespace {

/// All ranks must choose the same algorithms, so all use the overrides, rows and costs of rank 0.
void agree_on_algorithms(collective::Overrides overrides, collective::Tuned tuned, int rank) {
  const MPI_Comm all = ranks::world::comm();
  PMPI_Bcast(overrides.data(), static_cast<int>(sizeof overrides), MPI_BYTE, 0, all);
  constexpr collective::Report say = print;
  collective::set_overrides(overrides, rank == 0 ? say : nullptr);
  std::vector<collective::Row>& rows = tuned.rows;
  auto count = static_cast<int>(rows.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, all);
  rows.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(rows.data(), count * static_cast<int>(sizeof(collective::Row)), MPI_BYTE, 0, all);
  collective::set_rows(rows);
  PMPI_Bcast(&tuned.costs, static_cast<int>(sizeof tuned.costs), MPI_BYTE, 0, all);
  collective::set_network_costs(tuned.costs);
}

/// Rank 0 measures the costs of messages between nodes, unless MPI_HELPER_TUNE names a file. Collective.
void find_costs(State& starting) {
  const int peer = ranks::Nodes::first_elsewhere();
  if (peer == MPI_PROC_NULL) return;
  const MPI_Comm all = ranks::world::comm();
  int is_told = starting.settings.tune != "off";
  PMPI_Bcast(&is_told, 1, MPI_INT, 0, all);
  if (is_told == 0 && (starting.rank == 0 || starting.rank == peer))
    starting.tuned.costs = collective::find_network(all, peer).costs;
}

/// Returns the cores of this process. Processes with the same cores divide them. Collective over `node`.
ProcessPlace find_place(const ranks::NodeRanks& node) {
  ProcessPlace place{Machine::local().usable(), 1, 0, {}};
  std::vector<Cpuset> given;
  for (const std::string& text : node.gather(place.given.str())) given.push_back(*Cpuset::parse(text));
  place.sharers = static_cast<int>(std::ranges::count(given, place.given));
  place.first_sharer = static_cast<int>(std::ranges::find(given, place.given) - given.begin());
  place.share = topology::share(Machine::local(), given, static_cast<int>(node.own()));
  return place;
}

/// Lets processes with the same cores count their threads together. Called once, after node_state().make().
void count_processes(const ProcessPlace& place) {
  const int units = place.given.size();
  if (std::atomic<int>* const threads = shm::node_state().counter(place.first_sharer)) {
    threads->fetch_add(1, std::memory_order_relaxed);
    team::Oversubscription::set(*threads, units, place.sharers);
  } else { // assumes that each sharer has as many threads as this process
    team::Oversubscription::set(units / place.sharers);
  }
}

/// Finds the place of this process among the others, and shares memory with the processes of the node. When
/// the library begins again, only clears the memory. Collective over all processes.
void settle(State& starting) {
  if (std::exchange(starting.is_settled, true)) return shm::arena().clear();
  const ranks::NodeRanks node(ranks::world::comm());
  starting.rank = ranks::world::own_rank();
  starting.place = find_place(node);
  shm::node_state().make(node, starting.place.is_oversubscribed());
  shm::node_state().take();
  ranks::Nodes::make(node, Machine::local().position(starting.place.share));
  count_processes(starting.place);
  const std::size_t part =
      std::min(wanted_of_arena(starting.settings).total(), starting.settings.arena / node.count());
  shm::arena().make(node, part, message::arena_at_once(node.count()));
  say_if_arena_is_small(settings::environment(), shm::arena().size(), part);
  shm::try_mapping(node);
  shm::peer_memory::try_copying(node);
  find_costs(starting);
}

/// Names what waiting threads do for the layers above team, before there are members.
void set_hooks() {
  static constexpr std::array<team::Background, 4> background{
      message::attend, collective::begun::advance,
      [](team::Member&) noexcept { return groups::sysgroup::pending::advance(); },
      [](team::Member&) noexcept { return groups::sysgroup::relays::poll(), false; }};
  if (!team::hooks.background.empty()) return;          // the library begins again
  static_cast<void>(reduction::find(MPI_SUM, MPI_INT)); // makes the tables of kernels before any call
  groups::sysgroup::pending::make();
  team::hooks = {shm::traffic::under_way, shm::traffic::poll, collective::begun::are_pending,
                 collective::begun::advance, background};
}

} // namespace

int begin_with_all(State& starting) {
  settle(starting);
  agree_on_algorithms(starting.overrides, starting.tuned, starting.rank);
  const std::size_t part = shm::arena().size();
  const shm::Division division =
      shm::divide_arena(part, message::arena_share(part), wanted_of_arena(starting.settings));
  transport::offer({division.chunk, collective::fingerprint(), starting.place.is_oversubscribed()});
  message::start(starting.settings.announce);
  shm::traffic::start();
  set_hooks();
  shm::node_context().divide(division);
  starting.recording = Recording::begin(starting.settings); // before any team is made
  // Here all processes have cleared their parts of the arena: message::start() has synchronised them.

  // The first value is 0 unless all processes ask for the transparent mode: all ranks or none must be in
  // phases. The second value is 0 if processes of any node are oversubscribed. When the reduction returns,
  // all processes have cleared their parts of the arena.
  std::array least{starting.settings.threads, starting.place.is_oversubscribed() ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT, MPI_MIN, ranks::world::comm());
  const auto [threads, is_room_on_all_nodes] = least;
  groups::creation::start(is_room_on_all_nodes == 0);
  say_what_is_not_followed(starting, division.chunk, threads);
  return threads;
}

std::string costs_between_nodes(const State& running) {
  if (ranks::Nodes::first_elsewhere() == MPI_PROC_NULL) return {};
  const char* const network = collective::name_of_network(collective::network_costs());
  if (running.settings.tune != "off" || network == nullptr)
    return "messages between nodes are taken to cost what MPI_HELPER_TUNE says";
  return "messages between nodes are taken to cost what they do by " + std::string(network) +
         ", as some have shown";
}

void carry_first_operations() try {
  team::Team alone(team::Team::solo, 1, {});
  team::Member& member = alone.add();
  double number = 0;
  collective::carried<collective::bcast>(member, &number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  collective::carried<collective::allreduce>(member, MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_SUM,
                                             MPI_COMM_WORLD);
} catch (const std::exception&) { // the ranks have given up the shadow of MPI_COMM_WORLD
}

} // namespace helper::process
