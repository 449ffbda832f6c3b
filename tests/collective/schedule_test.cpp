// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Runs the schedules of all ranks together. Checks the results and the number of messages, for any root. The
// test model.messages counts messages in other cases.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collective/schedule.hpp"
#include "collective/table.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"

using namespace helper::collective;
using test_support::Draw;

namespace {

using Values =
    std::vector<std::uint64_t>; // by block; random, so that a sum shows what is in it, and how often
using Make = std::function<Schedule(std::size_t rank, std::size_t ranks)>;

/// The data of a rank, and how far it is in its schedule.
struct Process {
  Schedule schedule;
  Values contributed;
  Values partial;
  std::span<const std::span<const ScheduleStep>> groups{};
  std::size_t group = 0;
  std::size_t taken = 0; // steps of the group
  bool has_sent = false;
  std::size_t messages = 0; // that the rank has sent

  bool is_over() const { return group == groups.size(); }
};

template <class Visit>
void for_each_block(const BlockRun& run, std::size_t ranks, const Visit& visit) {
  run.for_each_part(ranks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) visit(block);
  });
}

/// Runs the schedules of all ranks. Messages between two ranks stay in order. In all else, any rank that can
/// go on may be the next.
class Processes {
public:
  /// Rank r contributes given[r], and begins with the blocks of it for which `is_there(rank, block)` is true.
  template <class IsThere>
  Processes(const Make& make, const std::vector<Values>& given, const IsThere& is_there) {
    const std::size_t ranks = given.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Process& process = all_.emplace_back(Process{make(rank, ranks), given[rank], Values(ranks)});
      process.groups = process.schedule.groups();
      for (std::size_t block = 0; block < ranks; ++block)
        if (is_there(rank, block)) process.partial[block] = given[rank][block];
      for_each_block(process.schedule.copied(), ranks,
                     [&](std::size_t block) { process.partial[block] = given[rank][block]; });
    }
  }

  /// Returns whether all ranks come to the end of their schedules and receive all messages.
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
  std::size_t most_messages() const {
    return std::ranges::max_element(all_, {}, &Process::messages)->messages;
  }
  std::size_t messages() const {
    std::size_t all = 0;
    for (const Process& process : all_) all += process.messages;
    return all;
  }

private:
  bool advance(std::size_t rank) {
    Process& process = all_[rank];
    if (process.is_over()) return false;
    const std::span<const ScheduleStep> steps = process.groups[process.group];
    bool any = !std::exchange(process.has_sent, true);
    if (any)
      for (const ScheduleStep& step : steps) send(process, rank, step);
    for (; process.taken < steps.size(); ++process.taken, any = true) {
      const ScheduleStep& step = steps[process.taken];
      if (step.in.count == 0) continue;
      std::deque<Values>& channel = channels_[{step.from, rank}];
      if (channel.empty()) return any;
      take(process, step, channel.front());
      channel.pop_front();
    }
    ++process.group;
    process.taken = 0;
    process.has_sent = false;
    return true;
  }

  void send(Process& process, std::size_t rank, const ScheduleStep& step) {
    if (step.out.count == 0) return;
    const Values& from = step.sends_contribution ? process.contributed : process.partial;
    Values& message = channels_[{rank, step.to}].emplace_back();
    for_each_block(step.out, all_.size(), [&](std::size_t block) { message.push_back(from[block]); });
    process.messages += step.out.is_round_the_end(all_.size()) ? 2 : 1;
  }

  void take(Process& process, const ScheduleStep& step, const Values& message) const {
    std::size_t blocks = 0;
    for_each_block(step.in, all_.size(), [&](std::size_t) { ++blocks; });
    if (message.size() != blocks) FAIL("a message of other blocks than are expected"); // CHECK would be slow
    auto next = message.begin();
    for_each_block(step.in, all_.size(), [&](std::size_t block) {
      using Arrival = ScheduleStep::Arrival;
      const bool meets_contribution = step.arrival == Arrival::meets_contribution && process.taken == 0;
      const std::uint64_t own = step.arrival == Arrival::stored ? 0
                                : meets_contribution            ? process.contributed[block]
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

std::uint64_t sum_of(const std::vector<Values>& given, std::size_t block) {
  std::uint64_t sum = 0;
  for (const Values& of_rank : given) sum += of_rank[block];
  return sum;
}

std::size_t log2_up(std::size_t ranks) {
  return static_cast<std::size_t>(std::bit_width(ranks - 1));
}

constexpr std::size_t many[] = {31, 32, 33, 64, 100, 128, 255, 256, 257, 512, 1000, 1024};

/// Calls `check(ranks)` for up to 17 ranks and some larger numbers.
template <class Check>
void for_numbers_of_ranks(const Check& check) {
  for (std::size_t ranks = 1; ranks <= 17; ++ranks) check(ranks);
  for (const std::size_t ranks : many) check(ranks);
}

/// Draws a number of nodes that divides `ranks`, so that nodes have equally many ranks.
std::size_t draw_nodes(std::size_t ranks, Draw& draw) {
  std::vector<std::size_t> divisors;
  for (std::size_t nodes = 1; nodes <= ranks; ++nodes)
    if (ranks % nodes == 0) divisors.push_back(nodes);
  draw.shuffle(divisors);
  return divisors.front();
}

/// Rings are tested up to this number of ranks: their messages grow with its square.
constexpr std::size_t few_in_ring = 257;

constexpr auto nothing = [](std::size_t, std::size_t) { return false; };

/// Returns the schedule of rank `rank` of `of` ranks. `append` is the algorithm.
Schedule by(AppendSteps& append, Operation operation, std::size_t rank, std::size_t of, std::size_t root = 0,
            std::size_t nodes = 1) {
  Schedule schedule(rank, of, nodes);
  append(schedule, operation, root);
  return schedule;
}

} // namespace

TEST_CASE("A reduce-scatter reduces every block once") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto halving = [nodes](std::size_t rank, std::size_t of) {
      return by(steps::halving, Operation::reduce_scatter, rank, of, 0, nodes);
    };
    const auto ring = [](std::size_t rank, std::size_t of) {
      return by(steps::ring, Operation::reduce_scatter, rank, of);
    };
    for (const bool is_ring : {false, true}) {
      if (is_ring && ranks > few_in_ring) continue;
      Processes all(is_ring ? Make(ring) : Make(halving), given, nothing);
      REQUIRE(all.run(draw));
      if (ranks == 1) continue; // one rank has nothing to do
      bool is_right = true;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        is_right = is_right && all[rank].partial[rank] == sum_of(given, rank);
      CHECK(is_right);
    }
  });
}

TEST_CASE("What arrives together is reduced once: by pairs of ranks, at a root, within nodes") {
  Draw draw(test_support::seed());
  for (std::size_t ranks = 2; ranks <= 36; ++ranks) {
    const auto root = static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1));
    const std::size_t nodes = draw_nodes(ranks, draw);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto check = [&](AppendSteps& append, Operation operation, const auto& is_made) {
      CAPTURE(test_support::seed(), ranks, nodes, root, static_cast<int>(operation));
      Processes all(
          [&](std::size_t rank, std::size_t of) { return by(append, operation, rank, of, root, nodes); },
          given, nothing);
      REQUIRE(all.run(draw));
      bool is_right = true;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        for (std::size_t block = 0; block < ranks; ++block)
          if (is_made(rank, block)) is_right = is_right && all[rank].partial[block] == sum_of(given, block);
      CHECK(is_right);
    };
    const auto all = [](std::size_t, std::size_t) { return true; };
    const auto at_root = [root](std::size_t rank, std::size_t) { return rank == root; };
    check(steps::pairs, Operation::reduce_scatter, std::equal_to());
    check(steps::pairs_and_gather, Operation::allreduce, all);
    check(steps::pairs_and_gather, Operation::reduce, at_root);
    check(steps::linear, Operation::reduce,
          [root](std::size_t rank, std::size_t block) { return rank == root && block == 0; });
    check(steps::two_level, Operation::allreduce, all);
  }
}

TEST_CASE("Steps that start together are a group") {
  const auto sizes = [](const Schedule& schedule) {
    std::vector<std::size_t> all;
    for (const auto& group : schedule.groups()) all.push_back(group.size());
    return all;
  };
  using Sizes = std::vector<std::size_t>;
  CHECK(sizes(by(steps::pairs_and_gather, Operation::allreduce, 1, 5)) == Sizes{4, 4});
  CHECK(sizes(by(steps::pairs_and_gather, Operation::allreduce, 1, 2)) == Sizes{1, 1});
  CHECK(sizes(by(steps::pairs_and_gather, Operation::reduce, 0, 5, 2)) == Sizes{4, 1});
  CHECK(sizes(by(steps::linear, Operation::reduce, 2, 5, 2)) == Sizes{4});
  CHECK(sizes(by(steps::two_level, Operation::allreduce, 0, 12, 0, 4)) == Sizes{2, 1, 1, 1, 1, 2});
  CHECK(sizes(by(steps::tree, Operation::bcast, 0, 8)) == Sizes{3});
  CHECK(sizes(by(steps::tree, Operation::bcast, 4, 8)) == Sizes{1, 2});
  CHECK(sizes(by(steps::ring, Operation::allgather, 0, 4)) == Sizes{1, 1, 1});
}

TEST_CASE("An allreduce gives all ranks every block") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto halving = [nodes](std::size_t rank, std::size_t of) {
      return by(steps::halving, Operation::allreduce, rank, of, 0, nodes);
    };
    const auto ring = [](std::size_t rank, std::size_t of) {
      return by(steps::ring, Operation::allreduce, rank, of);
    };
    for (const bool is_ring : {false, true}) {
      if (is_ring && ranks > few_in_ring && ranks != std::ranges::max(many)) continue;
      Processes all(is_ring ? Make(ring) : Make(halving), given, nothing);
      REQUIRE(all.run(draw));
      if (ranks == 1) continue;
      Values sums(ranks);
      for (std::size_t block = 0; block < ranks; ++block) sums[block] = sum_of(given, block);
      bool is_right = true;
      for (std::size_t rank = 0; rank < ranks; ++rank) is_right = is_right && all[rank].partial == sums;
      CHECK(is_right);
    }
  });
}

TEST_CASE("A reduce gives the root every block, along a tree behind the reduce-scatter") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const auto root = static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1));
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, root, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto halving = [&](std::size_t rank, std::size_t of) {
      return by(steps::halving, Operation::reduce, rank, of, root, nodes);
    };
    Processes all(halving, given, nothing);
    REQUIRE(all.run(draw));
    if (ranks == 1) return;
    bool is_right = true;
    for (std::size_t block = 0; block < ranks; ++block)
      is_right = is_right && all[root].partial[block] == sum_of(given, block);
    CHECK(is_right);
    const bool is_power = std::has_single_bit(ranks);
    const std::size_t steps = log2_up(nodes) + log2_up(ranks / nodes);
    CHECK(all.most_messages() <= steps + (is_power ? 2 : 3)); // to the parent, one or two runs
  });
}

TEST_CASE("A broadcast scatters and gathers, and nothing is sent to the root") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const auto root = static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1));
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, root, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    Processes all(
        [&](std::size_t rank, std::size_t of) {
          return by(steps::scatter_allgather, Operation::bcast, rank, of, root, nodes);
        },
        given, [&](std::size_t rank, std::size_t) { return rank == root; });
    REQUIRE(all.run(draw));
    bool is_right = true;
    for (std::size_t rank = 0; rank < ranks; ++rank) is_right = is_right && all[rank].partial == given[root];
    CHECK(is_right);
    const auto steps = all[root].schedule.steps();
    CHECK(std::ranges::all_of(steps, [](const ScheduleStep& step) { return step.in.count == 0; }));
    CHECK(all.messages() <=
          ranks * (log2_up(nodes) + log2_up(ranks / nodes) + 3)); // the tree has a message for each rank
  });
}

TEST_CASE("An allgather gives all ranks every rank's block") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto doubling = [nodes](std::size_t rank, std::size_t of) {
      return by(steps::doubling, Operation::allgather, rank, of, 0, nodes);
    };
    const auto ring = [](std::size_t rank, std::size_t of) {
      return by(steps::ring, Operation::allgather, rank, of);
    };
    for (const bool is_ring : {false, true}) {
      if (is_ring && ranks > few_in_ring) continue;
      Processes all(is_ring ? Make(ring) : Make(doubling), given,
                    [](std::size_t rank, std::size_t block) { return rank == block; });
      REQUIRE(all.run(draw));
      bool is_right = true;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (std::size_t block = 0; block < ranks; ++block)
          is_right = is_right && all[rank].partial[block] == given[block][block];
      }
      CHECK(is_right);
    }
  });
}

TEST_CASE("Bruck's allgather gives all ranks every rank's block") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    const std::size_t nodes = draw_nodes(ranks, draw);
    CAPTURE(test_support::seed(), ranks, nodes);
    const std::vector<Values> given = draw_values(ranks, draw);
    const auto bruck = [nodes](std::size_t rank, std::size_t of) {
      return by(steps::bruck, Operation::allgather, rank, of, 0, nodes);
    };
    Processes all(bruck, given, [](std::size_t, std::size_t block) { return block == 0; });
    REQUIRE(all.run(draw));
    bool is_right = true;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t block = 0; block < ranks; ++block)
        is_right = is_right && all[rank].partial[block] == given[(rank + block) % ranks][0];
    CHECK(is_right);
  });
}

TEST_CASE("Bruck's alltoall gives each rank a block of every other") {
  Draw draw(test_support::seed());
  for_numbers_of_ranks([&](std::size_t ranks) {
    CAPTURE(test_support::seed(), ranks);
    const std::vector<Values> given = draw_values(ranks, draw);
    Processes all(
        [](std::size_t rank, std::size_t of) { return by(steps::bruck, Operation::alltoall, rank, of); },
        given, [](std::size_t, std::size_t) { return true; });
    REQUIRE(all.run(draw));
    bool is_right = true;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t block = 0; block < ranks; ++block)
        is_right = is_right && all[rank].partial[block] == given[(rank + ranks - block) % ranks][block];
    CHECK(is_right);
  });
}

TEST_CASE("Between nodes a node sends a block of each of its ranks for every other node") {
  for (const std::size_t nodes : {2U, 3U, 4U, 5U, 8U}) {
    for (const std::size_t on_node : {1U, 2U, 3U, 4U, 6U, 7U}) {
      for (AppendSteps* const append : {steps::halving, steps::doubling, steps::bruck}) {
        CAPTURE(nodes, on_node);
        const Operation operation =
            append == steps::halving ? Operation::reduce_scatter : Operation::allgather;
        std::vector<std::size_t> sent(nodes);
        for (std::size_t rank = 0; rank < nodes * on_node; ++rank) {
          const Schedule schedule = by(*append, operation, rank, nodes * on_node, 0, nodes);
          for (const ScheduleStep& step : schedule.steps())
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
      const Schedule schedule = by(steps::tree_of_blocks, Operation::scatter, rank, ranks, root, nodes);
      for (const ScheduleStep& step : schedule.steps())
        if (step.to % nodes != root % nodes) sent += step.out.count;
      CHECK(sent == nodes - 1);
    }
  }
}

TEST_CASE("Two ranks combine in their order") {
  for (const std::size_t rank : {0U, 1U}) {
    const Schedule schedule = by(steps::halving, Operation::reduce_scatter, rank, 2);
    REQUIRE(schedule.steps().size() == 1);
    CHECK(schedule.steps()[0].from == 1 - rank);
    CHECK(schedule.steps()[0].arrival == ScheduleStep::Arrival::meets_contribution);
  }
}
