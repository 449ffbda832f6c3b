// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "device/memory.hpp"
#include "support/helpers.hpp"

// The cases of tests with GPU memory: where each rank has its buffers, and the numbers in them.
namespace test_support {

inline int rank() {
  int result = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &result);
  return result;
}

inline int ranks() {
  int result = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &result);
  return result;
}

/// Returns number i of the buffer of `rank`, which all ranks can compute.
inline long number(int rank, std::size_t i) {
  return 1000 * (rank + 1) + static_cast<long>(i % 991);
}

inline long own_number(std::size_t i) {
  return number(rank(), i);
}

/// Returns a function that computes number i of the sum over the ranks 0 to `last`.
inline Memory::Number sum_to(int last) {
  return [last](std::size_t i) {
    long sum = 0;
    for (int each = 0; each <= last; ++each) sum += number(each, i);
    return sum;
  };
}

/// Where a rank has its send and receive buffers, and how many numbers they have.
struct Case {
  Where from;
  Where to;
  int count;

  std::size_t numbers() const { return static_cast<std::size_t>(count); }
};

/// Returns sizes that use control blocks, slots, and several chunks. Each size comes with all places of both
/// buffers. Ranks have different places at the same time.
inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int count : {1, 7, 1000, 3000, 150000}) {
    for (int kind = 0; kind < 9; ++kind) {
      const int of_rank = kind + 2 * rank();
      all.push_back({static_cast<Where>(of_rank % 3), static_cast<Where>(of_rank / 3 % 3), count});
    }
  }
  return all;
}

/// Calls `test` with each case, in a phase.
inline void in_phase(const std::function<void(const Case&)>& test) {
  Helpers helpers;
  for (const Case& each : cases()) helpers.phase([&] { test(each); });
}

} // namespace test_support
