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

/// Ranks that take turns need several of the system's time slices to find their rhythm.
double min_sample_seconds(const Stage& stage) {
  return stage.oversubscribed ? 20e-3 : 100e-6;
}

enum class Wait { spinning, asleep };

/// Waits for what the ranks tell one another between samples. Where they are oversubscribed it is asleep: a
/// rank that is through with its sample must not take a processing unit from those that are not. Otherwise it
/// spins: sleepers may wake up on one and the same unit.
void await(MPI_Request request, Wait wait) {
  std::chrono::microseconds nap(20);
  for (int done = 0;; nap = std::min(2 * nap, std::chrono::microseconds(2000))) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (wait == Wait::asleep) std::this_thread::sleep_for(nap);
  }
}

Wait wait(const Stage& stage) {
  return stage.oversubscribed ? Wait::asleep : Wait::spinning;
}

/// What the result is on the first rank.
bool first_rank_says(bool result, const Stage& stage) {
  MPI_Request told;
  PMPI_Ibcast(&result, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD, &told);
  await(told, wait(stage));
  return result;
}

template <class Value>
Value of_all_ranks(Value value, MPI_Datatype type, MPI_Op op, const Stage& stage) {
  MPI_Request combined;
  PMPI_Iallreduce(MPI_IN_PLACE, &value, 1, type, op, MPI_COMM_WORLD, &combined);
  await(combined, wait(stage));
  return value;
}

void meet(Wait wait) {
  MPI_Request all_here;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  await(all_here, wait);
}

/// The first rank has the job of another MPI execute a command; its answers by rank. The ranks of this MPI
/// sleep meanwhile.
std::vector<Answer> by_peer(const Workload& workload, const Stage& stage, int peer, Command::Verb verb,
                            int calls) {
  std::vector<Answer> answers;
  if (!stage.peers.empty())
    answers = stage.peers[static_cast<std::size_t>(peer)].job->execute(
        {verb, 0, static_cast<int>(workload.operation()), calls, workload.bytes()});
  meet(Wait::asleep);
  return answers;
}

void verify(Workload& workload, Stage& stage, const Variant& variant) {
  bool right = false;
  if (variant.peer >= 0)
    right =
        std::ranges::all_of(by_peer(workload, stage, variant.peer, Command::Verb::check, 1), &Answer::right);
  else
    stage.crew.phase(variant.team, [&] { right = workload.is_right(variant.native()); });
  if (!of_all_ranks(right, MPI_CXX_BOOL, MPI_LAND, stage))
    throw std::runtime_error(fmt::format("{}: wrong result by {}", workload.name(), variant.name()));
}

/// Seconds of the slowest rank for `calls` calls, after untimed ones that bring the ranks together, warm
/// caches up and wake helpers.
double sample(Workload& workload, Stage& stage, const Variant& variant, int calls) {
  double seconds = 0;
  if (variant.peer >= 0) {
    for (const Answer& answer : by_peer(workload, stage, variant.peer, Command::Verb::time, calls))
      seconds = std::max(seconds, answer.seconds);
  } else {
    stage.crew.phase(variant.team, [&] {
      meet(wait(stage));
      workload.seconds(variant.native(), untimed_calls(calls));
      seconds = workload.seconds(variant.native(), calls);
    });
  }
  return of_all_ranks(seconds, MPI_DOUBLE, MPI_MAX, stage);
}

/// The power of two that makes a sample long enough. The shortest of a few samples counts, lest a disturbance
/// end the search early.
int calls_per_sample(Workload& workload, Stage& stage, const Variant& variant) {
  int calls = 1;
  const auto next = [&] { return sample(workload, stage, variant, calls); };
  while (calls < max_calls && std::min({next(), next(), next()}) < min_sample_seconds(stage)) calls *= 2;
  return calls;
}

} // namespace

Point measure(Workload& workload, Stage& stage, const std::vector<Variant>& variants,
              std::chrono::duration<double> time) {
  const auto start = clock::now();
  for (const Variant& variant : variants) verify(workload, stage, variant);

  Point point{workload.bytes(), {}, 0, {}, {}};
  for (const Variant& variant : variants) point.calls.push_back(calls_per_sample(workload, stage, variant));
  std::vector<std::vector<double>> samples(variants.size());
  do {
    for (std::size_t i = 0; i < variants.size(); ++i)
      samples[i].push_back(sample(workload, stage, variants[i], point.calls[i]) / point.calls[i]);
    ++point.repetitions;
  } while (point.repetitions < min_repetitions ||
           (point.repetitions < max_repetitions && first_rank_says(clock::now() - start < time, stage)));

  for (auto& of_variant : samples) point.seconds.push_back(quantiles(std::move(of_variant)));
  return point;
}

} // namespace bench
