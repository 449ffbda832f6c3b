// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/openmp_pool.hpp"

#include <chrono>
#include <cstddef>

#include "support/catch.hpp"

using helper::team::RegionCost;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t MiB = std::size_t{1024} * 1024;

/// Imitates a machine on which a region takes the time `now`.
struct Machine {
  RegionCost::Duration now{};
  int measurements = 0;
  RegionCost cost{};

  bool pays(std::size_t bytes) {
    return cost.pays(bytes, [this] {
      ++measurements;
      return now;
    });
  }
  /// Makes `calls` calls that move `bytes` bytes. Returns how many regions are refused.
  int refused(int calls, std::size_t bytes) {
    int count = 0;
    for (int call = 0; call < calls; ++call) count += pays(bytes) ? 0 : 1;
    return count;
  }
};

} // namespace

TEST_CASE("Calls of less than a MiB are refused, and measure nothing") {
  Machine machine{1us};
  CHECK(machine.refused(1000, MiB - 1) == 1000);
  CHECK(machine.measurements == 0);
}

TEST_CASE("A region that takes little pays at once") {
  Machine machine{50us};
  CHECK(machine.refused(1000, MiB) == 0);
  CHECK(machine.measurements == 5);
}

TEST_CASE("A machine that is busy in the first calls, and no longer, is measured again") {
  Machine machine{4400us};
  CHECK(machine.refused(1, 4 * MiB) == 1);
  CHECK(machine.cost.least_bytes() == 44'000'000);
  CHECK(machine.refused(9, 4 * MiB) == 9);
  machine.now = 50us;
  CHECK(machine.refused(1000, 4 * MiB) < 16);
  CHECK(machine.cost.least_bytes() == RegionCost::fewest_bytes);
}

TEST_CASE("A machine that is busy for long is measured again once in 64 calls") {
  Machine machine{4400us};
  CHECK(machine.refused(100'000, 4 * MiB) == 100'000);
  CHECK(machine.measurements < 100'000 / 64 + 20);
  machine.now = 50us;
  CHECK(machine.refused(1000, 4 * MiB) < 64);
}

TEST_CASE("One measurement among others that takes long does not matter") {
  Machine machine{50us};
  CHECK(machine.pays(MiB));
  machine.now = 4400us;
  CHECK(machine.refused(4, MiB) == 0);
}

TEST_CASE("Regions that come to take long no longer pay where this is measured") {
  Machine machine{200us};
  CHECK(machine.refused(10, MiB) == 10);
  machine.now = 4400us;
  CHECK(machine.refused(1000, MiB) == 1000);
  CHECK(machine.refused(1, 4 * MiB) == 1);
}
