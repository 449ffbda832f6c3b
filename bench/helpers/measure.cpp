// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "measure.hpp"

#include "slow_core.hpp"
#include "summation.hpp"

#include <mpi_helper.h>

#include <omp.h>

namespace bench {
namespace {

constexpr std::size_t least_samples = 5, most_samples = 50;
constexpr int most_calls = 1 << 14;

struct Way {
  std::string name;               ///< native, team, or a name of Summation
  int threads;                    ///< of the team; 1 without a team
  std::string placement = "none"; ///< of the team's members
};

/// What a thread of a team does; what the first returns is the result.
using Part = std::function<double(int thread, MPI_Helper_team team)>;

double in_phase(int threads, const Setting& setting, const Part& part,
                const std::string& placement = "none") {
  double result = 0;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_placement", placement.c_str());
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    MPI_Helper_team team;
    MPIX_Helper_team_create_info(0, threads, info, &team);
    std::optional<SlowCore> core;
    if (setting.slower > 1) core.emplace(setting.slower, setting.chunks_only);
    MPI_Helper_join(team);
#pragma omp barrier
    const double own = part(thread, team);
    if (thread == 0) result = own;
    MPI_Helper_leave(team);
    core.reset();
    MPI_Helper_team_free(&team);
  }
  MPI_Info_free(&info);
  return result;
}

/// Measures all ways alternately, and adds lines that begin with `what`. `sample(way, calls)` returns seconds
/// per call.
void measure_in_turn(const Json& what, const std::vector<Way>& ways, double seconds, const Setting& setting,
                     const std::function<double(const Way&, int calls)>& sample, Lines& lines) {
  // A slow core is awake only for a part of the time, so a sample takes many such parts. Without emulation a
  // sample is so long that the caches of the way before do not matter.
  const double least = setting.slower > 1 ? 10e-3 : 4e-3;
  std::vector<int> calls;
  for (const Way& way : ways) {
    int enough = 1;
    const auto next = [&] { return of_all_ranks(sample(way, enough)) * enough; };
    while (enough < most_calls && std::min(next(), next()) < least) enough *= 2;
    calls.push_back(enough);
  }
  const double start = PMPI_Wtime();
  const auto seconds_of = quantiles(take_alternately(
      ways.size(), least_samples, most_samples,
      [&](std::size_t way) { return of_all_ranks(sample(ways[way], calls[way])); },
      [&] { return of_all_ranks(PMPI_Wtime() - start) < seconds; }));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    Json line = what;
    line.update({{"way", ways[i].name},
                 {"threads", ways[i].threads},
                 {"seconds", seconds_of[i]},
                 {"ranks", rank_count()},
                 {"slower", setting.slower},
                 {"alone", setting.alone}});
    lines.add(std::move(line));
  }
}

/// Seconds per call of a task. Untimed calls bring the ranks together, and wake helpers.
double sample_task(const Call& call, const Setting& setting, const Way& way, int calls) {
  const auto timed = [&](int thread, MPI_Helper_team) {
    if (thread != 0) return 0.0; // and helps in LEAVE
    const bool native = way.name == "native";
    if (!setting.alone) PMPI_Barrier(MPI_COMM_WORLD);
    const auto repeat = [&](int times) {
      for (int i = 0; i < times; ++i) {
        call.run(native);
        SlowCore::pay();
      }
    };
    repeat((calls + 3) / 4);
    const double start = PMPI_Wtime();
    repeat(calls);
    return (PMPI_Wtime() - start) / calls;
  };
  return in_phase(way.threads, setting, timed, way.placement);
}

/// Ranks other than the first wait in it while that does `work`.
template <class Work>
double while_others_wait(const Work& work) {
  if (own_rank() != 0)
    return in_phase(1, {}, [](int, MPI_Helper_team) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return 0.0;
    });
  const double result = work();
  for (int other = 1; other < rank_count(); ++other) MPI_Send(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  return result;
}

} // namespace

void measure(const Task& task, const Setting& setting, double seconds, Lines& lines) {
  const Call call = task.make();
  std::vector<Way> ways;
  if (setting.slower == 1) ways.push_back({"native", 1}); // which spins, and so would be much slower still
  for (const int threads : setting.teams)
    for (const std::string& placement : setting.placements)
      ways.push_back({placement == "none" ? "team" : "team, " + placement, threads, placement});
  for (const int threads : setting.teams) {
    const double right =
        in_phase(threads, {}, [&](int thread, MPI_Helper_team) { return thread == 0 && call.is_right(); });
    if (of_all_ranks(right, MPI_MIN) == 0)
      throw std::runtime_error(
          fmt::format("{}, {}: wrong result by a team of {}", task.function, task.data, threads));
  }
  const auto sample = [&](const Way& way, int calls) {
    const auto own = [&] { return sample_task(call, setting, way, calls); };
    return setting.alone ? while_others_wait(own) : own();
  };
  measure_in_turn(
      {{"function", task.function}, {"data", task.data}, {"asked_bytes", task.bytes}, {"bytes", call.bytes}},
      ways, seconds, setting, sample, lines);
}

void measure_summation(std::size_t bytes, const Setting& setting, double seconds, Lines& lines) {
  std::vector<Way> ways;
  std::map<int, Summation> summations;
  for (const int threads : setting.teams) {
    const Summation& summation = summations.try_emplace(threads, bytes, threads).first->second;
    for (const char* name : Summation::names)
      if (summation.can(name)) ways.push_back({name, threads});
  }
  const auto sample = [&](const Way& way, int calls) {
    Summation& summation = summations.at(way.threads);
    return in_phase(way.threads, setting, [&](int thread, MPI_Helper_team team) {
      if (thread == 0) PMPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
      const auto call = [&](int times) {
        for (int i = 0; i < times; ++i) summation.add(way.name, thread, team);
      };
      call((calls + 3) / 4);
#pragma omp barrier
      const double start = PMPI_Wtime();
      call(calls);
      return (PMPI_Wtime() - start) / calls;
    });
  };
  for (const Way& way : ways) {
    sample(way, 1);
    if (of_all_ranks(summations.at(way.threads).is_right(), MPI_MIN) == 0)
      throw std::runtime_error(fmt::format("wrong sums by {} of {} threads", way.name, way.threads));
  }
  measure_in_turn(
      {{"function", "all threads"}, {"data", "sum of double"}, {"asked_bytes", bytes}, {"bytes", bytes}},
      ways, seconds, setting, sample, lines);
}

} // namespace bench
