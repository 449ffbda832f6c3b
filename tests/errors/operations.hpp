// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "support/ranks.hpp"

// Operations for the injection of faults.
namespace test_support {

/// Makes a communicator of all ranks with native MPI. In its topology, every rank is a neighbour of every
/// rank, itself included, in the order of ranks.
MPI_Comm all_neighbors();

/// An operation with its data, so that the call itself allocates nothing. Each rank has a block of `count`
/// numbers to send to each rank, and one to receive from each. The numbers are `stride` numbers apart.
/// Operations may use only the first block.
class Operation {
public:
  /// Makes the call on a communicator of all_neighbors(), and returns its code.
  using Call = int (*)(Operation&, MPI_Comm);
  /// Returns the number that rank `rank` of `ranks` must have in block `block` after the call.
  using Expected = long (*)(int rank, int ranks, int block);

  Operation(const char* name, bool carried, int count, int stride, Call call, Expected expected);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Resets the data: given() in what the rank sends, `untouched` in what it receives.
  void fill(MPI_Comm comm);
  int operator()(MPI_Comm comm) { return call_(*this, comm); }
  /// Returns whether all numbers are as expected.
  bool right(MPI_Comm comm) const;

  /// Returns the number that `rank` sends in block `block`.
  static constexpr long given(int rank, int block) { return 100L * (rank + 1) + block; }
  static constexpr long untouched = -1;

  const char* const name;
  /// Whether the team performs the operation.
  const bool carried;

  // For the calls:
  const int count;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<long> in;
  std::vector<long> out;
  std::vector<int> counts;        // `count` for each rank
  std::vector<int> displacements; // of the blocks, in elements
  std::vector<int> offsets;       // of the blocks, in bytes
  std::vector<MPI_Datatype> types;

private:
  template <class Visit>
  void for_each_number(const Visit& visit) const;

  const int stride_;
  const Call call_;
  const Expected expected_;
};

std::vector<std::unique_ptr<Operation>> operations();

/// Returns an operation with which to test whether a communicator works.
std::unique_ptr<Operation> probe();

} // namespace test_support
