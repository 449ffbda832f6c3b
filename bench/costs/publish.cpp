// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/binding.hpp"
#include "costs.hpp"

#include "team/team.hpp"

#include <chrono>
#include <thread>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int jobs = 10'000;

void note_time(void* when, std::size_t, std::size_t) noexcept {
  *static_cast<clock::time_point*>(when) = clock::now();
}

} // namespace

Costs publish_costs() {
  using namespace helper::team;
  Team team(0, 2, {.spin = std::chrono::seconds(1)});
  std::thread helper([&team] {
    bind_to_core(1);
    Member& member = team.add();
    team.join(member, "JOIN");
    team.leave(member, "LEAVE");
  });

  bind_to_core(0);
  Member& primary = team.add();
  team.join(primary, "JOIN");
  std::vector<double> samples;
  for (int i = 0; i < jobs; ++i) {
    clock::time_point run;
    const auto start = clock::now();
    const WorkList::Ticket ticket = primary.publish({note_time, &run, 1, 1});
    while (!primary.retire(ticket)) {
    } // the helper's to do, not ours
    samples.push_back(std::chrono::duration<double, std::nano>(run - start).count());
  }
  team.leave(primary, "LEAVE");
  helper.join();
  return {{"publishing a job to its first chunk on a spinning helper", "ns", quantiles(samples), 1000}};
}

} // namespace bench
