// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares the schedules of the library in the simulator with the model of costs, which chooses between them.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "collective/cost.hpp"
#include "model/scheduled.hpp"
#include "support/catch.hpp"

using namespace helper::collective;

namespace {

Situation on_nodes(std::size_t bytes, std::size_t nodes) {
  Situation situation{bytes, static_cast<int>(nodes)};
  situation.nodes = static_cast<int>(nodes);
  return situation;
}

constexpr std::size_t KiB = 1024;

model::ScheduledTime simulated(const model::ScheduledCall& call, std::size_t on_node = 1) {
  return simulate(call, model::simulator_costs(default_costs, on_node));
}

} // namespace

TEST_CASE("What the model of costs says of schedules is what the simulator finds") {
  for (const std::size_t nodes : {2U, 8U, 16U, 64U, 256U, 1024U}) {
    for (const std::size_t bytes : {16 * KiB, 256 * KiB, 4096 * KiB}) {
      CAPTURE(nodes, bytes);
      const Situation situation = on_nodes(bytes, nodes);
      const auto compare = [&](Operation operation, Algorithm algorithm) {
        const double found =
            simulated(model::call_of(operation, algorithm, situation, default_costs)).seconds;
        const double said = model_seconds(operation, algorithm, situation);
        CAPTURE(name(operation), name(algorithm), found * 1e6, said * 1e6);
        CHECK(said > found / 1.3);
        CHECK(said < found * 1.3);
      };
      compare(Operation::allreduce, Algorithm::recursive_halving);
      compare(Operation::reduce_scatter_block, Algorithm::recursive_halving);
      compare(Operation::bcast, Algorithm::scatter_allgather);
      if (nodes > 64) continue;
      compare(Operation::allreduce, Algorithm::ring);
      compare(Operation::scan, Algorithm::chain);
      compare(Operation::exscan, Algorithm::chain);
    }
  }
}

TEST_CASE("Messages of an allreduce of 16 MiB grow like the logarithm of the number of nodes") {
  for (std::size_t nodes = 2; nodes <= 4096; nodes *= 2) {
    CAPTURE(nodes);
    const model::ScheduledTime all = simulated(model::call_of(
        Operation::allreduce, Algorithm::recursive_halving, on_nodes(16 * KiB * KiB, nodes), default_costs));
    const std::size_t chunks = 16 * KiB * KiB / scheduled_chunk(Situation{}.chunk, nodes);
    CHECK(all.messages == chunks * 2 * static_cast<std::size_t>(std::countr_zero(nodes)));
    const double blocks = 2 * static_cast<double>(nodes - 1) / static_cast<double>(nodes);
    CHECK(std::fabs(all.bytes / (blocks * 16 * 1024 * 1024) - 1) < 1e-9);
  }
}

TEST_CASE("So it is of MPICH's algorithms, and on nodes of several ranks") {
  for (const std::size_t on_node : {1U, 8U}) {
    for (const std::size_t nodes : {2U, 4U, 32U}) {
      for (const std::size_t bytes : {std::size_t{8}, 16 * KiB, 1024 * KiB}) {
        Situation situation = on_nodes(bytes, nodes);
        situation.ranks = static_cast<int>(nodes * on_node);
        situation.most_on_node = situation.fewest_on_node = static_cast<int>(on_node);
        situation.across_nodes = on_node > 1;
        const auto compare = [&](Operation operation, Algorithm algorithm, const model::ScheduledCall& call) {
          const double found = simulated(call, on_node).seconds;
          const double said = model_seconds(operation, algorithm, situation);
          CAPTURE(on_node, nodes, bytes, name(operation), name(algorithm), found * 1e6, said * 1e6);
          CHECK(said > found / 1.5);
          CHECK(said < found * 1.5);
        };
        for (const Operation operation :
             {Operation::bcast, Operation::reduce, Operation::allreduce, Operation::reduce_scatter_block,
              Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall,
              Operation::barrier, Operation::scan, Operation::exscan, Operation::allgatherv,
              Operation::alltoallv}) {
          compare(operation, Algorithm::native,
                  model::call_of(operation, Algorithm::native, situation, default_costs));
          const Algorithm chosen = select(operation, situation);
          const model::ScheduledCall call = model::call_of(operation, chosen, situation, default_costs);
          if (call.steps) compare(operation, chosen, call);
        }
      }
    }
  }
}

TEST_CASE("A summary stands for the steps of its schedule, and is short") {
  using Partners = std::vector<std::array<std::size_t, 4>>; // of each step: to, blocks out, from, blocks in
  const auto partners = [](const Schedule& schedule) {
    Partners all;
    for (const ScheduleStep& step : schedule.steps())
      for (std::size_t index = 0; index < step.times; ++index)
        all.push_back({step.out.count == 0 ? 0 : (step.to + index * step.to_moves) % schedule.ranks(),
                       step.out.count,
                       step.in.count == 0 ? 0 : (step.from + index * step.from_moves) % schedule.ranks(),
                       step.in.count});
    std::ranges::sort(all);
    return all;
  };
  const auto compare = [&](Operation operation, Algorithm algorithm) {
    for (const std::size_t nodes : {2U, 3U, 8U, 21U}) {
      for (const std::size_t on_node : {1U, 3U}) {
        CAPTURE(name(operation), name(algorithm), nodes, on_node);
        Situation situation = on_nodes(1024 * KiB, nodes);
        situation.ranks *= static_cast<int>(on_node);
        situation.most_on_node = situation.fewest_on_node = static_cast<int>(on_node);
        for (std::size_t rank = 0; rank < nodes * on_node; ++rank)
          CHECK(partners(schedule_of(operation, algorithm, situation, rank)) ==
                partners(schedule_of(operation, algorithm, situation, rank, true)));
      }
    }
    CHECK(schedule_of(operation, algorithm, on_nodes(KiB, 131072), 0, true).steps().size() < 80);
  };
  for (std::size_t number = 0; number < static_cast<std::size_t>(Operation::operations); ++number) {
    const auto operation = static_cast<Operation>(number);
    if (is_modelled(operation)) compare(operation, Algorithm::native);
    for (const Row& row : built_in_rows(operation))
      if (is_scheduled(operation, row.algorithm)) compare(operation, row.algorithm);
  }
}

TEST_CASE("A message that is not sent, or that nobody takes, is an error") {
  const model::Step sends{.to = 1}, waits{.from = 0};
  const auto run = [](const std::vector<model::Steps>& steps) {
    return model::simulate({[&](std::size_t rank) { return steps[rank]; }, steps.size(), 1, 1, 0}, {});
  };
  CHECK(run({{sends}, {waits}}).all_messages == 1);
  CHECK_THROWS_AS(run({{}, {waits}}), std::logic_error);
  CHECK_THROWS_AS(run({{sends}, {}}), std::logic_error);
  CHECK_THROWS_AS(run({{sends, sends}, {waits}}), std::logic_error);
}
