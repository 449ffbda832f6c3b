// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

void verify(Workload& workload, Crew& crew, const Variant& variant) {
  bool right = false;
  crew.phase(variant.team, [&] { right = workload.is_right(variant.native()); });
  PMPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
  if (!right)
    throw std::runtime_error(fmt::format("{}: wrong result by {}", workload.name(), variant.name()));
}

/// Seconds of the slowest rank for `calls` calls, after an untimed one that warms caches up and wakes
/// helpers.
double sample(Workload& workload, Crew& crew, const Variant& variant, int calls) {
  double seconds = 0;
  crew.phase(variant.team, [&] {
    workload.seconds(variant.native(), 1);
    PMPI_Barrier(MPI_COMM_WORLD);
    seconds = workload.seconds(variant.native(), calls);
  });
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The power of two that makes a sample long enough. The shortest of a few samples counts, lest a disturbance
/// end the search early.
int calls_per_sample(Workload& workload, Crew& crew, const Variant& variant) {
  int calls = 1;
  const auto next = [&] { return sample(workload, crew, variant, calls); };
  while (calls < max_calls && std::min({next(), next(), next()}) < min_sample_seconds) calls *= 2;
  return calls;
}

} // namespace

Point measure(Workload& workload, Crew& crew, const std::vector<Variant>& variants,
              std::chrono::duration<double> time) {
  const auto start = clock::now();
  for (const Variant& variant : variants) verify(workload, crew, variant);

  const int calls = calls_per_sample(workload, crew, variants.front());
  std::vector<std::vector<double>> samples(variants.size());
  int repetitions = 0;
  do {
    for (std::size_t i = 0; i < variants.size(); ++i)
      samples[i].push_back(sample(workload, crew, variants[i], calls) / calls);
    ++repetitions;
  } while (repetitions < min_repetitions ||
           (repetitions < max_repetitions && first_rank_says(clock::now() - start < time)));

  Point point{workload.bytes(), calls, repetitions, {}};
  for (auto& of_variant : samples) point.seconds.push_back(quantiles(std::move(of_variant)));
  return point;
}

} // namespace bench
