// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/compare.hpp"

#include <thread>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr double long_call_seconds = 1;

/// Waits for a message between samples. If the ranks are oversubscribed, the thread sleeps: a rank that has
/// finished its sample must not take a core from the others. Otherwise it spins: ranks that sleep may wake up
/// on the same core.
void await(MPI_Request request, bool asleep) {
  std::chrono::microseconds nap(20);
  for (int done = 0;; nap = std::min(2 * nap, std::chrono::microseconds(2000))) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (asleep) std::this_thread::sleep_for(nap);
  }
}

double greatest(double value, const Stage& stage) {
  MPI_Request combined;
  PMPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &combined);
  await(combined, stage.ranks_oversubscribed);
  return value;
}

void meet(bool asleep) {
  MPI_Request all_here;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  await(all_here, asleep);
}

/// Rank 0 lets the job of another MPI execute a command. Returns the job's answers by rank. The ranks of this
/// MPI sleep meanwhile.
std::vector<Answer> by_peer(const Case& of, const Stage& stage, int peer, Command::Verb verb, int calls) {
  std::vector<Answer> answers;
  if (!stage.peers.empty())
    answers = stage.peers[static_cast<std::size_t>(peer)].job->execute({verb, of.operation, calls, of.bytes});
  meet(true);
  return answers;
}

void verify(const Case& of, Stage& stage, const Variant& variant) {
  const bool right =
      variant.peer >= 0
          ? std::ranges::all_of(by_peer(of, stage, variant.peer, Command::Verb::check, 1), &Answer::right)
          : stage.crew.phase(variant.team, [&] { return of.subject.is_right(variant.native()); });
  if (greatest(right ? 0 : 1, stage) != 0)
    throw std::runtime_error(
        fmt::format("{}, {}: wrong result by {}", of.name, size_name(of.bytes), variant.name));
}

struct Calls {
  int timed = 1, untimed = untimed_calls(1);
};

/// Returns the seconds of the slowest rank for the timed calls. Untimed calls before them bring the ranks
/// together, warm the caches and wake helpers. The job of another MPI chooses its own number of untimed
/// calls.
double sample(const Case& of, Stage& stage, const Variant& variant, const Calls& calls) {
  double seconds = 0;
  if (variant.peer >= 0) {
    for (const Answer& answer : by_peer(of, stage, variant.peer, Command::Verb::time, calls.timed))
      seconds = std::max(seconds, answer.seconds);
  } else {
    seconds = stage.crew.phase(variant.team, [&] {
      meet(stage.ranks_oversubscribed);
      if (calls.untimed > 0) of.subject.seconds(variant.native(), calls.untimed);
      return of.subject.seconds(variant.native(), calls.timed);
    });
  }
  return greatest(seconds, stage);
}

/// Returns the power of two of timed calls that makes a sample long enough. The shortest of a few samples
/// counts, so that a disturbance does not end the search early. A call of a second or more is a sample by
/// itself, without untimed calls.
Calls calls_per_sample(const Case& of, Stage& stage, const Variant& variant) {
  Calls calls;
  const auto is_short = [&] {
    for (int tries = 0; tries < 3; ++tries) {
      const double seconds = sample(of, stage, variant, calls);
      if (seconds < stage.least_sample_seconds) return true;
      if (seconds / calls.timed < long_call_seconds) continue;
      calls.untimed = 0;
      return false;
    }
    return false;
  };
  while (calls.timed < stage.most_calls && is_short()) {
    calls.timed *= 2;
    calls.untimed = untimed_calls(calls.timed);
  }
  return calls;
}

} // namespace

std::vector<Variant> native_variants(const std::string& native, const std::vector<Peer>& peers) {
  std::vector<Variant> variants{{native}};
  int count = static_cast<int>(peers.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int peer = 0; peer < count; ++peer) {
    const auto name = peers.empty() ? "another MPI" : peers[static_cast<std::size_t>(peer)].name;
    variants.push_back({name, 0, peer});
  }
  return variants;
}

Json compare(const Case& of, Stage& stage, std::chrono::duration<double> time) {
  const auto start = clock::now();
  const std::vector<Variant>& variants = stage.variants;
  for (const Variant& variant : variants) verify(of, stage, variant);
  std::vector<Calls> calls;
  for (const Variant& variant : variants) calls.push_back(calls_per_sample(of, stage, variant));
  const auto seconds = quantiles(take_alternately(
      variants.size(), 5, 100,
      [&](std::size_t i) { return sample(of, stage, variants[i], calls[i]) / calls[i].timed; },
      [&] { return greatest(clock::now() - start < time ? 0 : 1, stage) == 0; }));
  Json lines = Json::array();
  for (std::size_t i = 0; i < variants.size(); ++i)
    lines.push_back({{"operation", of.name},
                     {"bytes", of.bytes},
                     {"way", variants[i].name},
                     {"team_size", variants[i].team}, // 0: native
                     {"seconds", seconds[i]},
                     {"GB/s", static_cast<double>(of.bytes) / seconds[i].median / 1e9},
                     {"speedup", seconds[0].median / seconds[i].median}});
  return lines;
}

} // namespace bench
