// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The library's schedules in the simulator, beside its model of costs, which chooses between them.

#include <algorithm>
#include <bit>
#include <cmath>

#include "collective/cost.hpp"
#include "model/scheduled.hpp"
#include "support/catch.hpp"

using namespace helper::collective;

namespace {

constexpr model::Costs network{network_costs.latency,      network_costs.overhead / 2,
                               network_costs.overhead / 2, 0,
                               network_costs.per_byte,     0};

Situation on_nodes(std::size_t bytes, std::size_t nodes) {
  Situation situation{bytes, static_cast<int>(nodes)};
  situation.nodes = static_cast<int>(nodes);
  return situation;
}

/// What `make(schedule)` does with so many bytes on nodes of one rank each.
template <class Make>
model::ScheduledTime simulated(std::size_t bytes, std::size_t nodes, const Make& make) {
  const std::size_t chunk = std::min(bytes, scheduled_chunk(Situation{}.chunk, nodes));
  const std::size_t chunks = (bytes + chunk - 1) / chunk;
  const auto schedule = [&](std::size_t rank) {
    Schedule made(rank, nodes);
    make(made);
    return made;
  };
  return simulate({schedule, nodes, static_cast<double>(chunk), chunks, lanes,
                   network_costs.reduced_byte / network_costs.team},
                  network);
}

constexpr std::size_t KiB = 1024;

} // namespace

TEST_CASE("What the model of costs says of schedules is what the simulator finds") {
  for (const std::size_t nodes : {2U, 8U, 16U, 64U, 256U, 1024U}) {
    for (const std::size_t bytes : {16 * KiB, 256 * KiB, 4096 * KiB}) {
      CAPTURE(nodes, bytes);
      const Situation situation = on_nodes(bytes, nodes);
      const auto compare = [&](Operation operation, Algorithm algorithm, const auto& make) {
        const double found = simulated(bytes, nodes, make).seconds;
        const double said = model_seconds(operation, algorithm, situation);
        CAPTURE(name(operation), name(algorithm), found * 1e6, said * 1e6);
        CHECK(said > found / 1.3);
        CHECK(said < found * 1.3);
      };
      compare(Operation::allreduce, Algorithm::recursive_halving,
              [](Schedule& made) { made.reduce_scatter_by_halving().allgather_by_doubling(); });
      compare(Operation::reduce_scatter_block, Algorithm::recursive_halving,
              [](Schedule& made) { made.reduce_scatter_by_halving(); });
      if (nodes > 2) // two have no steps that wait for one another
        compare(Operation::bcast, Algorithm::scatter_allgather,
                [](Schedule& made) { made.scatter(0).allgather_by_doubling().without_messages_to(0); });
      if (nodes <= 64)
        compare(Operation::allreduce, Algorithm::ring,
                [](Schedule& made) { made.reduce_scatter_by_ring().allgather_by_ring(); });
    }
  }
}

TEST_CASE("Messages of an allreduce of 16 MiB grow like the logarithm of the number of nodes") {
  for (std::size_t nodes = 2; nodes <= 4096; nodes *= 2) {
    CAPTURE(nodes);
    const model::ScheduledTime all = simulated(16 * KiB * KiB, nodes, [](Schedule& made) {
      made.reduce_scatter_by_halving().allgather_by_doubling();
    });
    const std::size_t chunks = 16 * KiB * KiB / scheduled_chunk(Situation{}.chunk, nodes);
    CHECK(all.messages == chunks * 2 * static_cast<std::size_t>(std::countr_zero(nodes)));
    const double blocks = 2 * static_cast<double>(nodes - 1) / static_cast<double>(nodes);
    CHECK(std::fabs(all.bytes / (blocks * 16 * 1024 * 1024) - 1) < 1e-9);
  }
}
