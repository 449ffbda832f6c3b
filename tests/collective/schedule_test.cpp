// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Runs schedules of all ranks in one process. Checks the results, and the number of messages for any root;
// model.messages checks the other numbers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collective/schedule.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"

using namespace helper::collective;
using test_support::Draw;

namespace {

using Values =
    std::vector<std::uint64_t>; // of blocks; sums of random ones tell which are in them, and how often
using Value = std::optional<std::uint64_t>;

/// A rank's blocks, and its progress.
struct Process {
  Schedule schedule;
  Values contributed;
  Values partial;
  std::size_t step = 0;
  bool has_sent = false;
  std::size_t messages = 0; // that it has sent

  bool is_over() const { return step == schedule.steps().size(); }
};

template <class Visit>
void for_each_block(const BlockRun& run, std::size_t ranks, const Visit& visit) {
  run.for_each_part(ranks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) visit(block);
  });
}

/// Runs all ranks' schedules. Messages between two ranks stay in order; otherwise any rank may take the next
/// step.
class Processes {
public:
  /// Rank r runs the schedule `make(r)`. It has contributed `given[r]`, and of that `is_there(rank, block)`
  /// says what it begins with.
  template <class Make, class IsThere>
  Processes(const Make& make, const std::vector<Values>& given, const IsThere& is_there) {
    const std::size_t ranks = given.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Process& process = all_.emplace_back(Process{make(rank), given[rank], Values(ranks)});
      for (std::size_t block = 0; block < ranks; ++block)
        if (is_there(rank, block)) process.partial[block] = given[rank][block];
      for_each_block(process.schedule.copied(), ranks,
                     [&](std::size_t block) { process.partial[block] = given[rank][block]; });
    }
  }

  /// Returns whether all ranks finish.
  bool run(Draw& draw) {
    std::vector<std::size_t> going(all_.size());
    for (std::size_t rank = 0; rank < going.size(); ++rank) going[rank] = rank;
    for (bool any = true; any && !going.empty();) {
      draw.shuffle(going);
      any = false;
      for (const std::size_t rank : going) any = advance(rank) || any;
      std::erase_if(going, [&](std::size_t rank) { return all_[rank].is_over(); });
    }
    return going.empty() &&
           std::ranges::all_of(channels_, [](const auto& each) { return each.second.empty(); });
  }

  const Process& operator[](std::size_t rank) const { return all_[rank]; }
  std::size_t most_messages() const { return std::ranges::max(all_, {}, &Process::messages).messages; }
  std::size_t messages() const {
    std::size_t all = 0;
    for (const Process& process : all_) all += process.messages;
    return all;
  }

private:
  bool advance(std::size_t rank) {
    Process& process = all_[rank];
    if (process.is_over()) return false;
    const ScheduleStep& step = process.schedule.steps()[process.step];
    const bool sends = !std::exchange(process.has_sent, true);
    if (sends) send(process, rank, step);
    if (step.in.count != 0) {
      std::deque<Values>& channel = channels_[{step.from, rank}];
      if (channel.empty()) return sends;
      take(process, step, channel.front());
      channel.pop_front();
    }
    ++process.step;
    process.has_sent = false;
    return true;
  }

  void send(Process& process, std::size_t rank, const ScheduleStep& step) {
    if (step.out.count == 0) return;
    const Values& from = step.sends_contribution ? process.contributed : process.partial;
    Values& message = channels_[{rank, step.to}].emplace_back();
    for_each_block(step.out, all_.size(), [&](std::size_t block) { message.push_back(from[block]); });
    const bool is_round_the_end = step.out.period == 0 && step.out.first + step.out.count > all_.size();
    process.messages += is_round_the_end ? 2 : 1;
  }

  void take(Process& process, const ScheduleStep& step, const Values& message) const {
    std::size_t blocks = 0;
    for_each_block(step.in, all_.size(), [&](std::size_t) { ++blocks; });
    if (message.size() != blocks) FAIL("a message of other blocks than are expected"); // ten million times
    auto next = message.begin();
    for_each_block(step.in, all_.size(), [&](std::size_t block) {
      using Arrival = ScheduleStep::Arrival;
      const std::uint64_t own = step.arrival == Arrival::stored               ? 0
                                : step.arrival == Arrival::meets_contribution ? process.contributed[block]
                                                                              : process.partial[block];
      process.partial[block] = own + *next++;
    });
  }

  std::vector<Process> all_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Values>> channels_;
};

std::vector<Values> draw_values(std::size_t ranks, Draw& draw) {
  std::vector<Values> all(ranks, Values(ranks));
  for (Values& of_rank : all)
    for (std::uint64_t& value : of_rank)
      value = static_cast<std::uint64_t>(draw.upto(1 << 30)) << 32 |
              static_cast<std::uint64_t>(draw.upto(1 << 30));
  return all;
}

std::size_t log2_up(std::size_t ranks) {
  return static_cast<std::size_t>(std::bit_width(ranks - 1));
}

/// Returns one of the numbers of nodes that so many ranks may be on, as many on each.
std::size_t draw_nodes(std::size_t ranks, Draw& draw) {
  std::vector<std::size_t> divisors;
  for (std::size_t nodes = 1; nodes <= ranks; ++nodes)
    if (ranks % nodes == 0) divisors.push_back(nodes);
  draw.shuffle(divisors);
  return divisors.front();
}

/// A number of ranks, a number of nodes that divides it, a root, and what each rank contributes.
class Job {
public:
  Job(std::size_t number, Draw& draw)
      : ranks(number), root(static_cast<std::size_t>(draw.upto(static_cast<int>(number) - 1))),
        nodes(draw_nodes(number, draw)), given(draw_values(number, draw)), sums_(number), draw_(draw) {
    for (const Values& of_rank : given) std::ranges::transform(sums_, of_rank, sums_.begin(), std::plus<>());
  }

  Schedule schedule(std::size_t rank) const { return Schedule(rank, ranks, nodes); }

  /// The sum of all contributions to a block; nothing of a rank by itself, which has nothing to do.
  Value sum(std::size_t block) const { return ranks == 1 ? Value() : sums_[block]; }

  /// Runs the schedules that `make(rank)` returns. Checks that in the end each rank has `expected(rank,
  /// block)`, where that is a value.
  template <class Make, class IsThere, class Expected>
  Processes check(const Make& make, const IsThere& is_there, const Expected& expected) const {
    Processes all(make, given, is_there);
    REQUIRE(all.run(draw_));
    bool is_right = true;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t block = 0; block < ranks; ++block)
        if (const Value value = expected(rank, block))
          is_right = is_right && all[rank].partial[block] == *value;
    CHECK(is_right);
    return all;
  }

  const std::size_t ranks, root, nodes;
  const std::vector<Values> given;

private:
  Values sums_;
  Draw& draw_;
};

constexpr std::size_t many[] = {31, 32, 33, 64, 100, 128, 255, 256, 257, 512, 1000, 1024};

/// Calls `check(job)` for up to 17 ranks and some larger numbers.
template <class Check>
void for_jobs(const Check& check) {
  Draw draw(test_support::seed());
  const auto check_one = [&](std::size_t ranks) {
    const Job job(ranks, draw);
    CAPTURE(test_support::seed(), ranks, job.root, job.nodes);
    check(job);
  };
  for (std::size_t ranks = 1; ranks <= 17; ++ranks) check_one(ranks);
  for (const std::size_t ranks : many) check_one(ranks);
}

/// How many ranks are few for a ring, whose messages are as many as the square of that.
constexpr std::size_t few_in_ring = 257;

constexpr auto nothing = [](std::size_t, std::size_t) { return false; };

} // namespace

TEST_CASE("A reduce-scatter reduces every block once") {
  for_jobs([](const Job& job) {
    const auto expected = [&](std::size_t rank, std::size_t block) {
      return rank == block ? job.sum(block) : Value();
    };
    job.check([&](std::size_t rank) { return job.schedule(rank).reduce_scatter_by_halving(); }, nothing,
              expected);
    if (job.ranks > few_in_ring) return;
    job.check([&](std::size_t rank) { return Schedule(rank, job.ranks).reduce_scatter_by_ring(); }, nothing,
              expected);
  });
}

TEST_CASE("An allreduce gives all ranks every block") {
  for_jobs([](const Job& job) {
    const auto halving = [&](std::size_t rank) {
      return job.schedule(rank).reduce_scatter_by_halving().allgather_by_doubling();
    };
    const auto ring = [&](std::size_t rank) {
      return Schedule(rank, job.ranks).reduce_scatter_by_ring().allgather_by_ring();
    };
    const auto expected = [&](std::size_t, std::size_t block) { return job.sum(block); };
    job.check(halving, nothing, expected);
    if (job.ranks <= few_in_ring || job.ranks == std::ranges::max(many)) job.check(ring, nothing, expected);
  });
}

TEST_CASE("A reduce gives the root every block, along a tree behind the reduce-scatter") {
  for_jobs([](const Job& job) {
    const Processes all = job.check(
        [&](std::size_t rank) { return job.schedule(rank).reduce_scatter_by_halving().gather(job.root); },
        nothing,
        [&](std::size_t rank, std::size_t block) { return rank == job.root ? job.sum(block) : Value(); });
    const bool is_power = std::has_single_bit(job.ranks);
    const std::size_t steps = log2_up(job.nodes) + log2_up(job.ranks / job.nodes);
    CHECK(all.most_messages() <= steps + (is_power ? 2 : 3)); // to its parent one run or two
  });
}

TEST_CASE("A broadcast scatters and gathers, and nothing is sent to the root") {
  for_jobs([](const Job& job) {
    const Processes all = job.check(
        [&](std::size_t rank) {
          return job.schedule(rank).scatter(job.root).allgather_by_doubling().without_messages_to(job.root);
        },
        [&](std::size_t rank, std::size_t) { return rank == job.root; },
        [&](std::size_t, std::size_t block) { return Value(job.given[job.root][block]); });
    const auto steps = all[job.root].schedule.steps();
    CHECK(std::ranges::all_of(steps, [](const ScheduleStep& step) { return step.in.count == 0; }));
    CHECK(all.messages() <= job.ranks * (log2_up(job.nodes) + log2_up(job.ranks / job.nodes) +
                                         3)); // down the tree there are as many as ranks
  });
}

TEST_CASE("An allgather gives all ranks every rank's block") {
  for_jobs([](const Job& job) {
    const auto is_own = [](std::size_t rank, std::size_t block) { return rank == block; };
    const auto expected = [&](std::size_t, std::size_t block) { return Value(job.given[block][block]); };
    job.check([&](std::size_t rank) { return job.schedule(rank).allgather_by_doubling(); }, is_own, expected);
    if (job.ranks > few_in_ring) return;
    job.check([&](std::size_t rank) { return Schedule(rank, job.ranks).allgather_by_ring(); }, is_own,
              expected);
  });
}

TEST_CASE("Bruck's allgather gives all ranks every rank's block") {
  for_jobs([](const Job& job) {
    job.check(
        [&](std::size_t rank) { return job.schedule(rank).allgather_by_bruck(); },
        [](std::size_t, std::size_t block) { return block == 0; },
        [&](std::size_t rank, std::size_t block) { return Value(job.given[(rank + block) % job.ranks][0]); });
  });
}

TEST_CASE("Bruck's alltoall gives each rank a block of every other") {
  for_jobs([](const Job& job) {
    job.check([&](std::size_t rank) { return Schedule(rank, job.ranks).alltoall_by_bruck(); },
              [](std::size_t, std::size_t) { return true; },
              [&](std::size_t rank, std::size_t block) {
                return Value(job.given[(rank + job.ranks - block) % job.ranks][block]);
              });
  });
}

TEST_CASE("Between nodes a node sends a block of each of its ranks for every other node") {
  using Steps = Schedule& (Schedule::*)();
  for (const std::size_t nodes : {2U, 3U, 4U, 5U, 8U}) {
    for (const std::size_t on_node : {1U, 2U, 3U, 4U, 6U, 7U}) {
      for (const Steps steps : {&Schedule::reduce_scatter_by_halving, &Schedule::allgather_by_doubling,
                                &Schedule::allgather_by_bruck}) {
        CAPTURE(nodes, on_node);
        std::vector<std::size_t> sent(nodes);
        for (std::size_t rank = 0; rank < nodes * on_node; ++rank) {
          Schedule schedule(rank, nodes * on_node, nodes);
          for (const ScheduleStep& step : (schedule.*steps)().steps())
            if (step.to % nodes != rank % nodes) sent[rank % nodes] += step.out.count;
        }
        CHECK(sent == std::vector<std::size_t>(nodes, on_node * (nodes - 1)));
      }
    }
  }
}

TEST_CASE("A root's node sends other nodes each block once, and its ranks as many of them") {
  constexpr std::size_t nodes = 5, on_node = 6, ranks = nodes * on_node;
  for (std::size_t root = 0; root < ranks; ++root) {
    for (std::size_t rank = root % nodes; rank < ranks; rank += nodes) {
      std::size_t sent = 0;
      const Schedule schedule = Schedule(rank, ranks, nodes).scatter(root);
      for (const ScheduleStep& step : schedule.steps())
        if (step.to % nodes != root % nodes) sent += step.out.count;
      CHECK(sent == nodes - 1);
    }
  }
}

TEST_CASE("Two ranks combine in their order") {
  for (const std::size_t rank : {0U, 1U}) {
    const Schedule schedule = Schedule(rank, 2).reduce_scatter_by_halving();
    REQUIRE(schedule.steps().size() == 1);
    CHECK(schedule.steps()[0].from == 1 - rank);
    CHECK(schedule.steps()[0].arrival == ScheduleStep::Arrival::meets_contribution);
  }
}
