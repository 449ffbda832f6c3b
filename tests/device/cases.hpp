// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "device/memory.hpp"
#include "support/helpers.hpp"

// Where the ranks have their data, and the numbers in it.
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

/// Returns a rank's number i, which all ranks know.
inline long number(int rank, std::size_t i) {
  return 1000 * (rank + 1) + static_cast<long>(i % 991);
}

inline long own_number(std::size_t i) {
  return number(rank(), i);
}

/// Returns the sum of the numbers of the ranks up to `last`.
inline Memory::Number sum_to(int last) {
  return [last](std::size_t i) {
    long sum = 0;
    for (int each = 0; each <= last; ++each) sum += number(each, i);
    return sum;
  };
}

/// Where a rank has its send and receive buffers, and the count of numbers.
struct Case {
  Where from;
  Where to;
  int count;

  std::size_t numbers() const { return static_cast<std::size_t>(count); }
};

/// Sizes that use frames, slots, and several chunks. For each size all places of both buffers, which differ
/// between ranks.
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
