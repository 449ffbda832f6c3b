// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(Non-blocking collectives of native MPI and of teams, as Intel's IMB-NBC measures them: the time of one that is waited
for at once (pure), the time of a computation of the same length with an operation under way (total), in us, and the
share of the operation that the computation hides (overlap). Run it with mpiexec.)";

struct Settings {
  int repetitions = 30;
  std::vector<int> teams{1, 2};
  std::vector<std::size_t> sizes{256 * KiB, MiB, 8 * MiB};
};

struct Buffers {
  int count;
  std::vector<double> from, to;
};

using Begin = std::function<void(Buffers&, bool native, MPI_Request*)>;

template <auto native, auto own, class... Root>
Begin reduction(Root... root) {
  return [=](Buffers& b, bool is_native, MPI_Request* request) {
    const auto function = is_native ? native : own;
    function(b.from.data(), b.to.data(), b.count, MPI_DOUBLE, MPI_SUM, root..., MPI_COMM_WORLD, request);
  };
}

const std::map<std::string, Begin> operations{
    {"iallreduce", reduction<PMPI_Iallreduce, MPI_Iallreduce>()},
    {"ireduce", reduction<PMPI_Ireduce, MPI_Ireduce>(0)},
    {"ireduce-scatter", reduction<PMPI_Ireduce_scatter_block, MPI_Ireduce_scatter_block>()},
    {"iscan", reduction<PMPI_Iscan, MPI_Iscan>()}};

/// Computes for a number of microseconds of processor time, without using memory. The speed is measured once.
class Computation {
public:
  Computation() {
    constexpr int trial = 1 << 16;
    for (int i = 0; i < 100; ++i) { // other processes may have used the core in some of them
      const double begin = MPI_Wtime();
      turn(trial);
      turns_per_us_ = std::max(turns_per_us_, trial / ((MPI_Wtime() - begin) * 1e6));
    }
  }
  void run(double us) const { turn(static_cast<long>(us * turns_per_us_)); }

private:
  static void turn(long turns) {
    volatile double value = 1;
    for (long i = 0; i < turns; ++i) value = value * 1.0000001;
  }

  double turns_per_us_ = 0;
};

/// Times of an operation in microseconds: natively (team 0) or with a team.
struct Times {
  int team;
  Samples pure = {}, computing = {}, total = {};

  void take(const Begin& begin, Buffers& buffers, const Computation& computation) {
    const bool native = team == 0;
    if (!native) MPI_Barrier(MPI_COMM_WORLD); // the library replaces operations after it
    const auto communicate = [&](double us) {
      MPI_Request request = MPI_REQUEST_NULL;
      begin(buffers, native, &request);
      if (us > 0) computation.run(us);
      (native ? PMPI_Wait : MPI_Wait)(&request, MPI_STATUS_IGNORE);
    };
    pure.push_back(time_of([&] { communicate(0); }));
    const double us = median(pure);
    computing.push_back(time_of([&] { computation.run(us); }));
    total.push_back(time_of([&] { communicate(us); }));
  }

  /// Returns the share of the shorter of both times that the longer one hides, as IMB defines it.
  double overlap() const {
    const double alone = median(pure), computed = median(computing);
    return std::clamp((alone + computed - median(total)) / std::min(alone, computed), 0.0, 1.0);
  }
};

void measure(const Settings& settings, Lines& lines, Crew& crew) {
  const Computation computation;
  for (const auto& [name, begin] : operations) {
    for (const std::size_t bytes : settings.sizes) {
      const std::size_t count = bytes / sizeof(double);
      const std::size_t all = count * static_cast<std::size_t>(std::max(rank_count(), 2));
      Buffers buffers{static_cast<int>(count), std::vector<double>(all, own_rank() + 1),
                      std::vector<double>(all)};
      std::vector<Times> times{{0}};
      for (const int team : settings.teams) times.push_back({team});
      for (int repetition = 0; repetition < settings.repetitions; ++repetition)
        for (Times& each : times)
          crew.phase(each.team, [&, begin = begin] { each.take(begin, buffers, computation); });
      for (const Times& each : times)
        lines.add({{"operation", name},
                   {"bytes", bytes},
                   {"team", each.team},
                   {"pure", median(each.pure)},
                   {"total", median(each.total)},
                   {"overlap", each.overlap()},
                   {"speedup", median(times.front().total) / median(each.total)}});
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("overlap", description);
  program.add_repetitions(settings.repetitions);
  program.add_teams(settings.teams);
  program.add_bytes("--sizes", settings.sizes,
                    "Bytes of a rank's contribution, or of what goes to each rank");
  return program.run_ranks(argc, argv, [&](int, Lines& lines) {
    Crew crew(settings.teams);
    crew.run([&] { measure(settings, lines, crew); });
  });
}
