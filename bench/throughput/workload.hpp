// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/subject.hpp"
#include "operation.hpp"

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// A collective operation over MPI_COMM_WORLD.
class Workload : public Subject {
public:
  /// `bytes` of data, a multiple of sizeof(double); `stride` in doubles, for Operation::bcast_vector.
  Workload(Operation operation, std::size_t bytes, int stride);
  ~Workload() override;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// The operation and the size.
  std::string name() const;
  Operation operation() const { return operation_; }
  std::size_t bytes() const { return bytes_; }

  /// Performs the operation on small integers; returns whether this rank has the right result, to the bit,
  /// and the gaps of the vector are as they were.
  bool is_right(bool native) override;

  /// Performs the operation `calls` times; returns the seconds that this rank spent in it. Before every call
  /// all ranks write to every cache line of their input, untimed; the root of MPI_Bcast moves on from call to
  /// call, so that no rank runs ahead of the others.
  double seconds(bool native, int calls) override;

private:
  void call(bool native, int root);
  std::vector<double>& input() { return operation_ == Operation::allreduce ? addends_ : data_; }

  Operation operation_;
  std::size_t bytes_;
  std::size_t stride_ = 1;
  int count_;
  MPI_Datatype type_ = MPI_DOUBLE;
  std::vector<double> data_;    ///< the result; for MPI_Bcast also the input
  std::vector<double> addends_; ///< for MPI_Allreduce only
  int rank_, ranks_;
};

} // namespace bench
