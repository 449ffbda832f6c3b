// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares the cost of creating a communicator in the model with formulas.

#include "model/creation.hpp"

#include <algorithm>

#include "support/catch.hpp"

namespace {

using model::Created;

Created created(const std::string& name, int parent, int size, const model::Costs& costs = {}) {
  return model::create(*std::ranges::find(model::creation_ways(), name, &model::CreationWay::name), parent,
                       size, costs);
}

/// Returns the logarithm of `size`, a power of two.
std::size_t log2_of(int size) {
  std::size_t log = 0;
  while (size > 1) size /= 2, ++log;
  return log;
}

} // namespace

TEST_CASE("one reduction to all of the group or of the parent") {
  for (int size = 2; size <= 64; size *= 2) {
    CHECK(created("direct", 64, size).steps == log2_of(size));
    CHECK(created("direct", 64, size).messages == static_cast<std::size_t>(size) * log2_of(size));
    CHECK(created("MPI_Comm_create", 64, size).steps == 6);
    CHECK(created("MPI_Comm_create", 64, size).messages == std::size_t{64} * 6);
    CHECK(created("MPI_Comm_split", 64, size).steps == 12); // 6 steps for colours and keys, then 6 more
    CHECK(created("multiway", 64, size).steps == 2 * log2_of(size));
  }
}

TEST_CASE("steps of the textbook's algorithm grow with the square of the logarithm") {
  // If a half has 2,048 processes or more, its addresses take 12 KiB or more. They are broadcast by scatter
  // and allgather. The leader waits for that as well.
  std::size_t in_parts = 0;
  for (int size = 2; size <= 8192; size *= 2) {
    if (size > 2048) in_parts += 2 * log2_of(size / 2);
    CHECK(created("textbook", size, size).steps == log2_of(size) * (log2_of(size) + 4) + in_parts);
  }
  CHECK(created("textbook", 2, 2).steps == 5); // four exchanges and a reduction
  CHECK(created("textbook", 2, 2).messages == 10);
}

TEST_CASE("members that take turns do so one after the other") {
  CHECK(created("recursive", 256, 256).steps > 255);
  CHECK(created("recursive", 256, 16).steps < 100);
}

TEST_CASE("what all of the parent take part in costs the same for any group, the rest grows") {
  const model::Costs costs{
      .latency = 4e-6, .send_overhead = 4e-6, .receive_overhead = 4e-6, .gap_per_byte = 2e-9};
  for (const auto& [name, collective_over_parent] : model::creation_ways()) {
    const Created small = created(name, 1024, 2, costs), large = created(name, 1024, 1024, costs);
    INFO(name);
    if (!collective_over_parent)
      CHECK(small.seconds < created("MPI_Comm_create", 1024, 2, costs).seconds);
    else if (name != "enrolment")
      CHECK(small.seconds == large.seconds);
    CHECK(large.seconds >= small.seconds);
  }
}
