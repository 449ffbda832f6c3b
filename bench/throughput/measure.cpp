// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int min_repetitions = 5, max_repetitions = 100, max_calls = 4096;
constexpr double min_sample_seconds = 100e-6;

/// What the result is on the first rank.
bool first_rank_says(bool result) {
  PMPI_Bcast(&result, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
  return result;
}

/// Has the job of Open MPI, where it is, execute a command; its answers by rank. The other ranks of this MPI,
/// whose barriers would occupy their cores, sleep meanwhile.
std::vector<Answer> by_open_mpi(const Workload& workload, Job* job, Command::Verb verb, int calls) {
  std::vector<Answer> answers;
  if (job != nullptr)
    answers = job->execute({verb, 0, static_cast<int>(workload.operation()), calls, workload.bytes()});
  MPI_Request all_here;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  for (int done = 0; !done; PMPI_Test(&all_here, &done, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return answers;
}

void verify(Workload& workload, Stage& stage, const Variant& variant) {
  bool right = false;
  if (variant.open_mpi)
    right =
        std::ranges::all_of(by_open_mpi(workload, stage.open_mpi, Command::Verb::check, 1), &Answer::right);
  else
    stage.crew.phase(variant.team, [&] { right = workload.is_right(variant.native()); });
  PMPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
  if (!right)
    throw std::runtime_error(fmt::format("{}: wrong result by {}", workload.name(), variant.name()));
}

/// Seconds of the slowest rank for `calls` calls, after an untimed one that warms caches up and wakes
/// helpers.
double sample(Workload& workload, Stage& stage, const Variant& variant, int calls) {
  double seconds = 0;
  if (variant.open_mpi) {
    for (const Answer& answer : by_open_mpi(workload, stage.open_mpi, Command::Verb::time, calls))
      seconds = std::max(seconds, answer.seconds);
  } else {
    stage.crew.phase(variant.team, [&] {
      workload.seconds(variant.native(), 1);
      PMPI_Barrier(MPI_COMM_WORLD);
      seconds = workload.seconds(variant.native(), calls);
    });
  }
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The power of two that makes a sample long enough. The shortest of a few samples counts, lest a disturbance
/// end the search early.
int calls_per_sample(Workload& workload, Stage& stage, const Variant& variant) {
  int calls = 1;
  const auto next = [&] { return sample(workload, stage, variant, calls); };
  while (calls < max_calls && std::min({next(), next(), next()}) < min_sample_seconds) calls *= 2;
  return calls;
}

} // namespace

Point measure(Workload& workload, Stage& stage, const std::vector<Variant>& variants,
              std::chrono::duration<double> time) {
  const auto start = clock::now();
  for (const Variant& variant : variants) verify(workload, stage, variant);

  const int calls = calls_per_sample(workload, stage, variants.front());
  std::vector<std::vector<double>> samples(variants.size());
  int repetitions = 0;
  do {
    for (std::size_t i = 0; i < variants.size(); ++i)
      samples[i].push_back(sample(workload, stage, variants[i], calls) / calls);
    ++repetitions;
  } while (repetitions < min_repetitions ||
           (repetitions < max_repetitions && first_rank_says(clock::now() - start < time)));

  Point point{workload.bytes(), calls, repetitions, {}};
  for (auto& of_variant : samples) point.seconds.push_back(quantiles(std::move(of_variant)));
  return point;
}

} // namespace bench
