// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include "common/binding.hpp"

#include "layout/copy_bytes.hpp"
#include "team/team.hpp"

#include <mpi_helper.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <omp.h>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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
      const double begun = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_THREAD_CPUTIME_ID);
      MPI_Helper_leave(team);
      percent = 100 * (seconds(CLOCK_THREAD_CPUTIME_ID) - used) / (seconds(CLOCK_MONOTONIC) - begun);
    }
    MPI_Helper_team_free(&team);
  }
  add_cost(lines, "idle member blocked in LEAVE", "% of a core", {percent}, 1);
}

/// Nanoseconds of each of many calls.
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
    bind_to_core(static_cast<unsigned>(omp_get_thread_num()));
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

constexpr std::size_t copied = std::size_t{64} << 10, page = 4096;

struct FreePages {
  void operator()(std::byte* pages) const { ::operator delete[](pages, std::align_val_t{page}); }
};
using Pages = std::unique_ptr<std::byte[], FreePages>;

/// Copies to where malloc places large buffers: there memcpy is slow on some processors.
template <class Copy>
Samples times_of(const Copy& copy) {
  constexpr std::size_t of_malloc = 16;
  const auto pages = [] { return Pages(new (std::align_val_t{page}) std::byte[copied + page]()); };
  const Pages source = pages(), target = pages();
  Samples samples;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    copy(target.get() + of_malloc, source.get(), copied);
    samples.push_back(Nanoseconds(Clock::now() - start).count() * 1e-3);
  }
  return samples;
}

} // namespace

void measure_here(Lines& lines) {
  measure_idle(lines); // before threads are bound
  measure_phases(lines);
  measure_publishing(lines);
  add_cost(lines, "memcpy of 64 KiB from a page's begin to 16 bytes behind one", "us", times_of(std::memcpy));
  add_cost(lines, "the same as the library copies it", "us", times_of(helper::layout::copy_bytes));
}

} // namespace bench
