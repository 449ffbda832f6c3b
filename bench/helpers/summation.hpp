// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/ranks.hpp"

#include <mpi_helper.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace bench {

/// Sums the doubles of all threads of all ranks; every thread may read the sums. One way is
/// MPIX_Helper_allreduce, the others are hand-written with OpenMP and MPI_Allreduce.
class Summation {
public:
  /// The ways to add:
  /// - "one thread": the first thread adds all doubles while the others wait.
  /// - "critical": each thread adds its doubles in a critical section.
  /// - "tree": threads add in pairs, with a barrier at each level.
  /// - "loop": each thread adds the doubles of all threads in its part of the range, in blocks.
  /// Each hand-written way starts with a barrier: before it, a thread may still write doubles that another
  /// thread reads.
  static constexpr const char* names[] = {"MPIX_Helper_allreduce", "one thread", "critical",
                                          "reduction clause",      "tree",       "loop"};

  Summation(std::size_t bytes, int threads)
      : contributions_(static_cast<std::size_t>(threads), std::vector<double>(bytes / sizeof(double))),
        partial_(contributions_), sum_(bytes / sizeof(double)) {
    for (std::size_t thread = 0; thread < contributions_.size(); ++thread)
      for (std::size_t i = 0; i < sum_.size(); ++i)
        contributions_[thread][i] = contribution(i, thread, own_rank());
  }

  std::size_t bytes() const { return sum_.size() * sizeof(double); }

  /// GCC puts the private copies of a reduction clause on the stack, so large ones do not work.
  bool can(std::string_view way) const {
    return way != "reduction clause" || bytes() <= std::size_t{1} << 20;
  }

  /// All threads of a parallel region call it. They are all members of `team` and in a phase. The first one
  /// communicates.
  void add(std::string_view way, int thread, MPI_Helper_team team) {
    const std::vector<double>& own = contributions_[static_cast<std::size_t>(thread)];
    const std::size_t size = own.size(), threads = contributions_.size();
    double* const sum = sum_.data();
    if (way == "MPIX_Helper_allreduce") {
      MPIX_Helper_allreduce(team, own.data(), sum, static_cast<int>(size), MPI_DOUBLE, MPI_SUM,
                            MPI_COMM_WORLD);
      return;
    }
    if (way == "one thread") {
#pragma omp barrier
      if (thread == 0) add_range(0, size);
    } else if (way == "critical") {
      if (thread == 0) std::ranges::fill(sum_, 0);
#pragma omp barrier
#pragma omp critical
      for (std::size_t i = 0; i < size; ++i) sum[i] += own[i];
#pragma omp barrier
    } else if (way == "reduction clause") {
      if (thread == 0) std::ranges::fill(sum_, 0);
#pragma omp barrier
#pragma omp for reduction(+ : sum[:size])
      for (std::size_t each = 0; each < threads; ++each)
        for (std::size_t i = 0; i < size; ++i) sum[i] += contributions_[each][i];
    } else if (way == "tree") {
#pragma omp barrier
      add_by_tree(thread);
    } else {
#pragma omp barrier
#pragma omp for
      for (std::size_t begin = 0; begin < size; begin += block)
        add_range(begin, std::min(begin + block, size));
    }
    if (thread == 0)
      PMPI_Allreduce(MPI_IN_PLACE, sum, static_cast<int>(size), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
  }

  /// Returns whether the sums are right, and overwrites them with something else.
  bool is_right() {
    const int ranks = rank_count();
    bool right = true;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      double expected = 0;
      for (int rank = 0; rank < ranks; ++rank)
        for (std::size_t thread = 0; thread < contributions_.size(); ++thread)
          expected += contribution(i, thread, rank);
      right = right && sum_[i] == expected;
      sum_[i] = -1;
    }
    return right;
  }

private:
  static constexpr std::size_t block = 1024; // it stays in the first-level cache

  static double contribution(std::size_t index, std::size_t thread, int rank) {
    return static_cast<double>(index % 101 + thread * 3) + rank;
  }

  /// Thread 0 gets the sum of all threads.
  void add_by_tree(int thread) {
    const auto self = static_cast<std::size_t>(thread);
    const std::size_t threads = contributions_.size();
    for (std::size_t step = 1; step < threads || step == 1; step *= 2) {
      const std::size_t other = self + step;
      if (self % (2 * step) == 0) {
        const bool first = step == 1;
        const double* const mine = (first ? contributions_ : partial_)[self].data();
        double* const out = self == 0 && 2 * step >= threads ? sum_.data() : partial_[self].data();
        if (other < threads) {
          const double* const theirs = (first ? contributions_ : partial_)[other].data();
          for (std::size_t i = 0; i < sum_.size(); ++i) out[i] = mine[i] + theirs[i];
        } else if (out != mine) {
          std::copy_n(mine, sum_.size(), out);
        }
      }
#pragma omp barrier
    }
  }

  void add_range(std::size_t first, std::size_t last) {
    double* const sum = sum_.data();
    const double* const lowest = contributions_[0].data();
    if (contributions_.size() == 1) {
      std::copy(lowest + first, lowest + last, sum + first);
      return;
    }
    for (std::size_t begin = first; begin < last; begin += block) {
      const std::size_t end = std::min(begin + block, last);
      const double* const second = contributions_[1].data();
      for (std::size_t i = begin; i < end; ++i) sum[i] = lowest[i] + second[i];
      for (std::size_t thread = 2; thread < contributions_.size(); ++thread) {
        const double* const other = contributions_[thread].data();
        for (std::size_t i = begin; i < end; ++i) sum[i] += other[i];
      }
    }
  }

  std::vector<std::vector<double>> contributions_; ///< by thread
  std::vector<std::vector<double>> partial_;       ///< partial sums of the threads, for the tree
  std::vector<double> sum_;
};

} // namespace bench
