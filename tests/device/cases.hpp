// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "device/memory.hpp"
#include "support/helpers.hpp"

// What the ranks have where, and the numbers that are there.
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

/// A rank's numbers, which all ranks know.
inline long number(int rank, std::size_t i) {
  return 1000 * (rank + 1) + static_cast<long>(i % 991);
}

inline long own_number(std::size_t i) {
  return number(rank(), i);
}

/// The sum of those of the ranks up to `last`.
inline Memory::Number sum_to(int last) {
  return [last](std::size_t i) {
    long sum = 0;
    for (int each = 0; each <= last; ++each) sum += number(each, i);
    return sum;
  };
}

/// Where a rank has what it sends and what it receives, and how many numbers.
struct Case {
  Where from;
  Where to;
  int count;

  std::size_t numbers() const { return static_cast<std::size_t>(count); }
};

/// As much as goes through frames, through slots, and in several chunks; for each all places of both, which
/// differ between ranks.
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
