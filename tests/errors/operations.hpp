// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "support/ranks.hpp"

// Operations that faults are injected into.
namespace test_support {

/// Makes, by native MPI, a communicator of all ranks, whose topology has every rank as a neighbour of every
/// other and of itself, in order.
MPI_Comm all_neighbors();

/// An operation with its data, so that the call allocates nothing of its own: a block of `count` numbers for
/// each rank to send, and one from each to receive, which lie `stride` apart. Operations may use the first
/// blocks only.
class Operation {
public:
  /// On a communicator of all_neighbors().
  using Call = int (*)(Operation&, MPI_Comm);
  /// What is right in block `block` of the result at rank `rank` of `ranks`.
  using Expected = long (*)(int rank, int ranks, int block);

  Operation(const char* name, bool carried, int count, int stride, Call call, Expected expected);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Makes the data new: given() to send, and `untouched` to receive.
  void fill(MPI_Comm comm);
  int operator()(MPI_Comm comm) { return call_(*this, comm); }
  /// Whether each number of the result is as expected.
  bool right(MPI_Comm comm) const;

  /// What a rank sends in a block.
  static constexpr long given(int rank, int block) { return 100L * (rank + 1) + block; }
  static constexpr long untouched = -1;

  const char* const name;
  /// Whether the team carries it.
  const bool carried;

  // For the calls:
  const int count;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<long> in;
  std::vector<long> out;
  std::vector<int> counts;        // `count` for each rank
  std::vector<int> displacements; // of the blocks, in elements
  std::vector<int> offsets;       // the same in bytes
  std::vector<MPI_Datatype> types;

private:
  template <class Visit>
  void for_each_number(const Visit& visit) const;

  const int stride_;
  const Call call_;
  const Expected expected_;
};

std::vector<std::unique_ptr<Operation>> operations();

/// One that shows whether a communicator works.
std::unique_ptr<Operation> probe();

} // namespace test_support
