// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <mpi_helper.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(Non-blocking collectives of native MPI and of teams, as Intel's IMB-NBC measures them: the time of one that is waited
for at once (pure), the time of a computation of the same length with an operation under way (total), in us, and the
share of the operation that the computation hides (overlap). Run it with mpiexec.)";

struct Settings {
  int repetitions = 30;
  std::vector<int> teams{1, 2};
  std::vector<std::string> operations{"iallreduce", "ireduce", "ireduce-scatter", "iscan"};
  std::vector<std::size_t> sizes{std::size_t{256} << 10, std::size_t{1} << 20, std::size_t{8} << 20};
};

/// The buffers of all operations: `count` doubles to and from each rank.
struct Buffers {
  int count;
  std::vector<double> from, to;
};

using Begin = std::function<void(Buffers&, MPI_Request*)>;

/// How to start an operation natively and in a phase.
struct Operation {
  Begin native, team;
};

template <auto Native, auto Own, class Call>
Operation both(const Call& call) {
  return {[call](Buffers& buffers, MPI_Request* request) { call(Native, buffers, request); },
          [call](Buffers& buffers, MPI_Request* request) { call(Own, buffers, request); }};
}

const std::map<std::string, Operation>& operations() {
  const auto reduce = [](auto function, Buffers& b, MPI_Request* request) {
    function(b.from.data(), b.to.data(), b.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
  };
  const auto reduce_to_root = [](auto function, Buffers& b, MPI_Request* request) {
    function(b.from.data(), b.to.data(), b.count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, request);
  };
  static const std::map<std::string, Operation> by_name{
      {"iallreduce", both<PMPI_Iallreduce, MPI_Iallreduce>(reduce)},
      {"ireduce", both<PMPI_Ireduce, MPI_Ireduce>(reduce_to_root)},
      {"ireduce-scatter", both<PMPI_Ireduce_scatter_block, MPI_Ireduce_scatter_block>(reduce)},
      {"iscan", both<PMPI_Iscan, MPI_Iscan>(reduce)}};
  return by_name;
}

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

/// Returns the microseconds until the last rank has finished `act`.
double time_of(const std::function<void()>& act) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  act();
  double time = (MPI_Wtime() - begin) * 1e6;
  PMPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

/// Times of an operation in microseconds: natively (team 0) or with a team.
struct Samples {
  int team;
  Begin begin;
  int (*wait)(MPI_Request*, MPI_Status*);
  std::vector<double> pure = {}, computing = {}, total = {};

  void take(Buffers& buffers, const Computation& computation) {
    MPI_Request request = MPI_REQUEST_NULL;
    pure.push_back(time_of([&] {
      begin(buffers, &request);
      wait(&request, MPI_STATUS_IGNORE);
    }));
    const double us = quantiles(pure).median;
    computing.push_back(time_of([&] { computation.run(us); }));
    total.push_back(time_of([&] {
      begin(buffers, &request);
      computation.run(us);
      wait(&request, MPI_STATUS_IGNORE);
    }));
  }

  /// Returns the share of the shorter of both times that the longer one hides, as IMB defines it.
  double overlap() const {
    const double alone = quantiles(pure).median;
    const double computed = quantiles(computing).median;
    const double hidden = alone + computed - quantiles(total).median;
    return std::clamp(hidden / std::min(alone, computed), 0.0, 1.0);
  }
};

void report(Lines& lines, const std::string& name, std::size_t bytes, const std::vector<Samples>& all) {
  const double native = quantiles(all.front().total).median;
  for (const Samples& each : all) {
    const double total = quantiles(each.total).median;
    lines.add({{"operation", name},
               {"bytes", bytes},
               {"team", each.team},
               {"pure", quantiles(each.pure).median},
               {"total", total},
               {"overlap", each.overlap()},
               {"speedup", native / total}});
  }
}

void measure(const Settings& settings, Lines& lines, Crew& crew, int rank, int ranks) {
  const Computation computation;
  for (const std::string& name : settings.operations) {
    for (const std::size_t bytes : settings.sizes) {
      const std::size_t count = bytes / sizeof(double);
      const std::size_t all = count * static_cast<std::size_t>(std::max(ranks, 2));
      Buffers buffers{static_cast<int>(count), std::vector<double>(all, rank + 1), std::vector<double>(all)};
      const Operation& operation = operations().at(name);
      std::vector<Samples> samples{{0, operation.native, PMPI_Wait}};
      for (const int team : settings.teams) samples.push_back({team, operation.team, MPI_Wait});
      for (int repetition = 0; repetition < settings.repetitions; ++repetition) {
        for (Samples& each : samples) {
          crew.phase(each.team, [&] {
            if (each.team != 0) MPI_Barrier(MPI_COMM_WORLD); // the library replaces operations after it
            each.take(buffers, computation);
          });
        }
      }
      report(lines, name, bytes, samples);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("overlap", description);
  program.add_repetitions(settings.repetitions);
  program.add_teams(settings.teams);
  program.add_choice("--operations", settings.operations, "Operations", operations());
  program.add_bytes("--sizes", settings.sizes,
                    "Bytes of a rank's contribution, or of what goes to each rank");
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Crew crew(settings.teams);
    crew.run([&] { measure(settings, lines, crew, rank, ranks); });
  });
}
