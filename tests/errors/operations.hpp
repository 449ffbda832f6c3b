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

/// Makes, with native MPI, a communicator of all ranks. In its topology every rank is a neighbour of every
/// rank, including itself, in order.
MPI_Comm all_neighbors();

/// An operation with its data, so that the call allocates nothing itself. The data are a block of `count`
/// numbers for each rank to send, and one from each to receive, at distances of `stride`. Operations may use
/// only the first blocks.
class Operation {
public:
  /// A call on a communicator of all_neighbors().
  using Call = int (*)(Operation&, MPI_Comm);
  /// Returns the expected value of block `block` at rank `rank` of `ranks`.
  using Expected = long (*)(int rank, int ranks, int block);

  Operation(const char* name, bool carried, int count, int stride, Call call, Expected expected);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Resets the data: given() to send, and `untouched` to receive.
  void fill(MPI_Comm comm);
  int operator()(MPI_Comm comm) { return call_(*this, comm); }
  /// Returns whether each number of the result is as expected.
  bool right(MPI_Comm comm) const;

  /// Returns the number that a rank sends in a block.
  static constexpr long given(int rank, int block) { return 100L * (rank + 1) + block; }
  static constexpr long untouched = -1;

  const char* const name;
  /// Whether the team performs it.
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

/// Returns an operation that shows whether a communicator works.
std::unique_ptr<Operation> probe();

} // namespace test_support
