// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

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

  Summation(std::size_t bytes, int threads);

  std::size_t bytes() const { return sum_.size() * sizeof(double); }

  /// GCC puts the private copies of a reduction clause on the stack, so large ones do not work.
  bool can(std::string_view way) const {
    return way != "reduction clause" || bytes() <= std::size_t{1} << 20;
  }

  /// All threads of a parallel region call it. They are all members of `team` and in a phase. The first one
  /// communicates.
  void add(std::string_view way, int thread, MPI_Helper_team team);

  /// Returns whether the sums are right, and overwrites them with something else.
  bool is_right();

private:
  void add_by_tree(int thread);
  void add_range(std::size_t begin, std::size_t end);

  std::vector<std::vector<double>> contributions_; ///< by thread
  std::vector<std::vector<double>> partial_;       ///< partial sums of the threads, for the tree
  std::vector<double> sum_;
};

} // namespace bench
