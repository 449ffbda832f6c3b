// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/binding.hpp"
#include "common/preload.hpp"
#include "common/sleep_debt.hpp"

#include "layout/copy_bytes.hpp"
#include "team/team.hpp"

#include <mpi_helper.h>

#include <cstring>
#include <omp.h>
#include <thread>

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// Adds one cost of the library, and its limit in the design, if there is one.
void add_cost(Lines& lines, const std::string& what, const std::string& unit, const Samples& samples,
              std::optional<double> limit = {}) {
  Json line{{"what", what}, {"unit", unit}};
  line.update(quantiles(samples));
  // A line without a limit has the column, too, so that all lines have one header.
  line["limit"] = limit ? Json(*limit) : Json();
  lines.add(std::move(line));
}

/// MPI calls outside phases, in a program that does not call the library: with the library preloaded, and
/// natively.
void measure_interception(Lines& lines) {
  constexpr int pairs = 11;
  constexpr std::array functions{"MPI_Probe", "MPI_Send", "MPI_Wait"}; // as the program prints them
  const auto run = [](std::size_t preloaded) {
    return numbers_of(
        fmt::format("LD_PRELOAD='{}' '{}'", preloaded == 1 ? HELPER_LIBRARY : "", PLAIN_PROGRAM));
  };
  const auto runs = take(2, pairs, run);
  for (std::size_t function = 0; function < functions.size(); ++function) {
    Samples native, difference;
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
      native.push_back(runs[0][i].at(function));
      difference.push_back(runs[1][i].at(function) - native.back());
    }
    const std::string name = functions[function];
    add_cost(lines, name + " by itself", "ns", native);
    add_cost(lines, name + ", more when preloaded", "ns", difference, 3);
  }
}

Samples run_phases(const std::string& arguments) {
  return numbers_of(fmt::format("'{}' -n 2 '{}' {}", MPI_LAUNCHER, PHASES_PROGRAM, arguments));
}

/// Exchanges of small messages, natively and in a phase. Before each exchange the ranks write other data, or
/// not.
void measure_small_messages(Lines& lines) {
  for (const bool after_others : {false, true}) {
    for (const int size : {8, 1024, 4096}) {
      const Samples samples = run_phases(fmt::format("exchange {} {}", size, after_others ? "others" : ""));
      Samples native, in_phase;
      for (std::size_t i = 0; i < samples.size(); ++i) (i % 2 == 0 ? native : in_phase).push_back(samples[i]);
      const auto what = fmt::format("exchange of {} B{}", size, after_others ? " after 5 MiB of others" : "");
      add_cost(lines, what + ", native", "us", native);
      add_cost(lines, "the same, in a phase", "us", in_phase);
    }
  }
}

/// Parallel regions of the library, in which OpenMP threads of the program help: the time they take after the
/// MPI call has finished.
void measure_regions(Lines& lines) {
#ifdef __clang__
  std::vector<std::pair<std::string, std::string>> runtimes{{"LLVM", ""}};
#else
  std::vector<std::pair<std::string, std::string>> runtimes{{"GCC", ""}};
  if (LLVM_OPENMP[0] != 0) runtimes.emplace_back("LLVM", LLVM_OPENMP);
#endif
  for (const auto& [name, preloaded] : runtimes)
    for (const auto& [other, what] :
         {std::pair{"spins", "spins in it"}, {"sleeps", "sleeps in it"}, {"late", "sleeps and comes late"}})
      add_cost(lines, fmt::format("end of a region whose other thread {}, {}'s OpenMP", what, name), "us",
               numbers_of(fmt::format("OMP_WAIT_POLICY=passive LD_PRELOAD='{}' '{}' {}", preloaded,
                                      REGIONS_PROGRAM, other)));
}

/// The share of a core that a member uses while it is blocked in LEAVE without work for a second.
void measure_idle(Lines& lines) {
  double percent = 0;
#pragma omp parallel num_threads(2)
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 2, &team);
    MPI_Helper_join(team);
    if (omp_get_thread_num() == 0) {
      std::this_thread::sleep_for(std::chrono::seconds(1)); // stands for a member that computes
      MPI_Helper_leave(team);
    } else {
      const long begun = now(CLOCK_MONOTONIC), used = now(CLOCK_THREAD_CPUTIME_ID);
      MPI_Helper_leave(team);
      percent = 100.0 * static_cast<double>(now(CLOCK_THREAD_CPUTIME_ID) - used) /
                static_cast<double>(now(CLOCK_MONOTONIC) - begun);
    }
    MPI_Helper_team_free(&team);
  }
  add_cost(lines, "idle member blocked in LEAVE", "% of a core", {percent}, 1);
}

template <class Call>
double time_of_each(const Call& call) {
  constexpr int calls = 200;
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return Nanoseconds(Clock::now() - start).count() / calls;
}

/// JOIN, LEAVE and FENCE by two threads on different cores, compared with an OpenMP barrier of these threads.
void measure_phases(Lines& lines) {
  constexpr int rounds = 201;
  Samples phases, fences, barriers, ratios, gains;
#pragma omp parallel num_threads(2)
  {
    bind_to_core(omp_get_thread_num());
    MPI_Helper_team team;
    MPI_Helper_team_create(0, 2, &team);
    for (int round = 0; round < rounds; ++round) {
#pragma omp barrier
      const double barrier = time_of_each([] {
#pragma omp barrier
      });
      const double phase = time_of_each([&] {
        MPI_Helper_join(team);
        MPI_Helper_leave(team);
      });
      MPI_Helper_join(team);
      const double fence = time_of_each([&] { MPI_Helper_fence(team); });
      MPI_Helper_leave(team);
      if (omp_get_thread_num() == 0) {
        barriers.push_back(barrier);
        phases.push_back(phase);
        fences.push_back(fence);
        ratios.push_back(phase / barrier);
        gains.push_back(phase - fence);
      }
    }
    MPI_Helper_team_free(&team);
  }
  add_cost(lines, "omp barrier, 2 threads", "ns", barriers);
  add_cost(lines, "JOIN + LEAVE, team of 2", "ns", phases);
  add_cost(lines, "JOIN + LEAVE over omp barrier", "", ratios, 1.5);
  add_cost(lines, "FENCE, team of 2", "ns", fences);
  add_cost(lines, "FENCE, less than LEAVE + JOIN", "ns", gains);
}

/// The time from publishing a job until its first chunk runs on a helper that spins on another core.
void measure_publishing(Lines& lines) {
  using namespace helper::team;
  constexpr int jobs = 10'000;
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
  Samples samples;
  const auto note_time = [](void* when, std::size_t, std::size_t) noexcept {
    *static_cast<Clock::time_point*>(when) = Clock::now();
  };
  for (int i = 0; i < jobs; ++i) {
    Clock::time_point run;
    const auto start = Clock::now();
    const WorkList::Ticket ticket = primary.publish({note_time, &run, 1, 1});
    while (!primary.retire(ticket)) {
    } // the helper runs the chunk
    samples.push_back(Nanoseconds(run - start).count());
  }
  team.leave(primary, "LEAVE");
  helper.join();
  add_cost(lines, "publishing a job to its first chunk on a spinning helper", "ns", samples, 1000);
}

/// Times copies to large buffers as malloc places them: there memcpy is slow on some processors.
template <class Copy>
Samples times_of(const Copy& copy) {
  constexpr std::size_t copied = 64 * KiB, page = 4096, of_malloc = 16;
  struct alignas(page) Pages {
    std::byte bytes[copied + page];
  };
  const auto source = std::make_unique<Pages>(), target = std::make_unique<Pages>();
  Samples samples;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    copy(target->bytes + of_malloc, source->bytes, copied);
    samples.push_back(Nanoseconds(Clock::now() - start).count() * 1e-3);
  }
  return samples;
}

void measure_here(Lines& lines) {
  measure_idle(lines); // before threads are bound
  measure_phases(lines);
  measure_publishing(lines);
  add_cost(lines, "memcpy of 64 KiB from a page's begin to 16 bytes behind one", "us", times_of(std::memcpy));
  add_cost(lines, "the same as the library copies it", "us", times_of(helper::layout::copy_bytes));
}

void measure(Lines& lines) {
  // These start programs, which is possible before MPI_Init only.
  measure_interception(lines);
  measure_small_messages(lines);
  add_cost(lines, "processor time in MPI_Allreduce, peer 1 ms late, native", "us", run_phases("late"));
  add_cost(lines, "the same, both threads of a team of 2", "us", run_phases("late team"));
  measure_regions(lines);
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  measure_here(lines);
  MPI_Finalize();
}

} // namespace

int main(int argc, char** argv) {
  Program program(
      "costs", "What helper teams cost where they do not help: phases, publishing, waiting, interception.\n"
               "Run it without mpiexec, on an idle machine with at least two cores.");
  return program.run(argc, argv, measure);
}
