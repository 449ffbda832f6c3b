// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// Doubles of all threads of all ranks are summed, and every thread may read the sums: by
/// MPIX_Helper_allreduce, and as people write it by hand with OpenMP and MPI_Allreduce.
class Summation {
public:
  /// What the threads do before one of them communicates.
  enum class Way {
    hybrid,    ///< MPIX_Helper_allreduce, which does all
    alone,     ///< the first adds all doubles while the others wait
    critical,  ///< each adds its doubles in a critical section
    reduction, ///< OpenMP's clause, of an array
    tree,      ///< in pairs, with a barrier at each level
    loop       ///< each adds up all threads' doubles in its part of the range, in blocks
  };
  static constexpr Way ways[] = {Way::hybrid,    Way::alone, Way::critical,
                                 Way::reduction, Way::tree,  Way::loop};
  static std::string name(Way way);

  Summation(std::size_t bytes, int threads);

  std::size_t bytes() const { return sum_.size() * sizeof(double); }

  /// GCC has the private copies of a reduction clause on the stack.
  bool can(Way way) const { return way != Way::reduction || bytes() <= std::size_t{1} << 20; }

  /// All threads of a parallel region call it, which are all members of `team` and in a phase. The first one
  /// communicates.
  void add(Way way, int thread, MPI_Helper_team team);

  /// Whether the sums are right. They are set to something else.
  bool is_right();

private:
  void add_by_tree(int thread);
  void add_range(std::size_t begin, std::size_t end);

  std::vector<std::vector<double>> contributions_; ///< by thread
  std::vector<std::vector<double>> partial_;       ///< the same, for the tree
  std::vector<double> sum_;
};

} // namespace bench
