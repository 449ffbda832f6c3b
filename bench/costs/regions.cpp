// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Prints, of each of many parallel regions of the library's with two threads, the microseconds from the end
// of its work until it is over. The argument says what the other thread does then:
//   spins   in the region, which it has just come to
//   sleeps  in the region, in which there has been nothing to do for a millisecond
//   late    sleeps in the runtime, which calls it to a region without work

#include "team/openmp_pool.hpp"

#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <omp.h>
#include <string_view>
#include <thread>

namespace {

using namespace helper::team;

constexpr int threads = 2;

/// Opens a region of the program. The library's regions copy its properties.
void open_own_region(const OpenmpRuntime& runtime) {
  OpenmpPool::own().opens(runtime, threads, 0);
  int counted = 0;
#pragma omp parallel num_threads(threads) reduction(+ : counted)
  ++counted;
}

double microseconds_at_end(Team& team, std::chrono::microseconds work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end;
  OpenmpPool::own().run(team, [&] {
    // Sleeping stands for waiting in MPI.
    if (work.count() != 0) std::this_thread::sleep_for(work);
    end = Clock::now();
  });
  return std::chrono::duration<double, std::micro>(Clock::now() - end).count();
}

} // namespace

int main(int, char** argv) {
  constexpr int regions = 200;
  constexpr std::chrono::microseconds shorter_than_a_spin(50), longer_than_a_spin(1000);
  const std::string_view other = argv[1];
  const OpenmpRuntime* const runtime = OpenmpRuntime::of(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  if (runtime == nullptr) return 1;
  open_own_region(*runtime);
  static Team team(0, threads, {}); // which outlives the pool
  for (int region = 0; region < regions; ++region) {
    if (other == "late") std::this_thread::sleep_for(longer_than_a_spin);
    const auto work = other == "spins"    ? shorter_than_a_spin
                      : other == "sleeps" ? longer_than_a_spin
                                          : std::chrono::microseconds(0);
    std::printf("%.3f\n", microseconds_at_end(team, work));
  }
}
