// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Random traffic of all kinds that the library supports. Its results are compared with native MPI, or are
// known. ./run runs it with many seeds and settings.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "soak/plan.hpp"
#include "soak/usage.hpp"
#include "support/yield.hpp"

namespace {

using namespace soak;

struct Options {
  std::uint64_t seed = std::random_device{}();
  int laps = 1;
  int threads = 1;
  int count = 40;
  std::string steps;
  bool has_failures = false;
  std::vector<int> kill; ///< a rank, and a step in which it is killed
  std::string fails_after;
  int limit = 60;
};

/// What all laps share.
struct Soak {
  explicit Soak(const Options& given)
      : options(given), steps(given.steps.empty() ? Steps::first(given.count) : Steps(given.steps)),
        fails_after(given.fails_after) {
    const std::vector<Kind> last = options.has_failures ? failures() : nonblocking_collectives();
    for (const auto& some : {messages(), collectives(), objects(), last})
      kinds.insert(kinds.end(), some.begin(), some.end());
  }

  const Options& options;
  const Steps steps;
  const Steps fails_after;
  std::vector<Kind> kinds;
  int rank = 0;
};

/// Kills this process some time later.
void be_killed(Draw& own) {
  std::thread([turns = own.upto(300)] {
    for (int turn = 0; turn < turns; ++turn) sched_yield();
    kill(getpid(), SIGKILL);
  }).detach();
}

/// Runs the steps of one lane.
void traffic(const Soak& soak, Lane& lane, std::uint64_t seed) {
  Draw own(seed + static_cast<std::uint64_t>(100 * lane.number + lane.rank));
  report::begin_step(lane.number, 0, "start");
  lane.make_team(1 + own.upto(2));
  int failing = 0;
  for (int number = 1 + lane.number; number <= soak.steps.last(); number += soak.options.threads) {
    if (!soak.steps.has(number)) continue;
    if (!soak.options.kill.empty() && soak.options.kill[0] == lane.rank && soak.options.kill[1] == number)
      be_killed(own);
    Step(seed, number, soak.kinds).run(lane);
    if (soak.fails_after.has(number) && ++failing == soak.fails_after.count())
      report::fail("as it was told to");
  }
  report::begin_step(lane.number, soak.steps.last(), "end");
  lane.complete(true, own);
  lane.leave_team();
}

void lap(const Soak& soak, std::uint64_t seed) {
  report::begin_lap(soak.rank, seed);
  const bool is_transparent = std::getenv("MPI_HELPER_THREADS") != nullptr;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int number = 0; number < soak.options.threads; ++number)
    lanes.push_back(std::make_unique<Lane>(number, is_transparent));
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < lanes.size(); ++i)
    others.emplace_back([&soak, &lane = *lanes[i], seed] { traffic(soak, lane, seed); });
  traffic(soak, *lanes.front(), seed);
  for (std::thread& other : others) other.join();
  PMPI_Barrier(MPI_COMM_WORLD);
}

void run(const Soak& soak) {
  report::watch_for_crashes(); // after MPI_Init, which sets its own handlers
  const test_support::AttachedBuffer buffer;
  const report::Watchdog watchdog{std::chrono::seconds(soak.options.limit)};
  Growth growth;
  for (int number = 0; number < soak.options.laps; ++number) {
    lap(soak, soak.options.seed + static_cast<std::uint64_t>(number));
    growth.note(Usage::now());
  }
  if (!soak.options.has_failures) report::require_nothing(growth.complaint());
  if (soak.rank == 0) fmt::print("{}\n", growth.summary());
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Random traffic, in laps, each of the next seed. The same at all ranks."};
  Options options;
  app.add_option("--seed", options.seed, "Of the first lap");
  app.add_option("--laps", options.laps, "How many")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "Threads with traffic; more than one call MPI at once")
      ->check(CLI::Range(1, report::most_lanes));
  app.add_option("--count", options.count, "Steps of a lap")->check(CLI::PositiveNumber);
  app.add_option("--steps", options.steps, "Those steps of a lap alone, such as 3,7,10-14");
  app.add_flag("--failures", options.has_failures, "Some calls underneath fail");
  app.add_option("--kill", options.kill, "RANK STEP: this rank is killed after it has begun that step")
      ->expected(2);
  app.add_option("--fails-after", options.fails_after,
                 "A lap fails once it has done all these steps of one thread");
  app.add_option("--limit", options.limit, "Seconds that a lap may take")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  mallopt(M_MMAP_THRESHOLD, 1 << 17); // gives freed large buffers back, so that growth is visible
  test_support::yield_while_waiting();
  Soak soak(options);
  int provided = 0;
  const int needed = options.threads == 1 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, needed, &provided);
  soak::report::require(provided >= needed, "MPI has not the level of thread support");
  PMPI_Bcast(&options.seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(MPI_COMM_WORLD, &soak.rank);
  run(soak);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
