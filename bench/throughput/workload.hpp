// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/worker.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// The size of a message is:
/// - the total of all contributions for allgather(v) and reduce_scatter,
/// - the data from one rank to another for gather, scatter and alltoall(v),
/// - none for a barrier,
/// - otherwise the contribution of a rank.
/// All ranks have the same sizes.
enum class Operation {
  allreduce,
  allreduce_ints,
  bcast,
  bcast_vector,
  reduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  allgather,
  allgatherv,
  gather,
  scatter,
  alltoall,
  alltoallv,
  barrier
};

/// The operations by their names on the command line and in JSON.
const std::map<std::string, Operation>& operations();
std::string name(Operation operation);

/// Returns the name of the MPI function.
std::string function_name(Operation operation);

/// Who allocates the buffers: the C library, or the MPI that is measured.
enum class Memory { malloc, alloc_mem };

/// The kinds of memory by their names on the command line and in JSON.
const std::map<std::string, Memory>& memories();
std::string name(Memory memory);

/// Doubles, zero at first.
class Buffer {
public:
  Buffer() = default;
  /// `native` chooses PMPI_Alloc_mem over MPI_Alloc_mem.
  Buffer(std::size_t count, Memory memory, bool native);

  std::span<double> values() const { return {first_.get(), count_}; }

private:
  std::unique_ptr<double, void (*)(double*)> first_{nullptr, [](double*) {}};
  std::size_t count_ = 0;
};

/// A collective operation over MPI_COMM_WORLD.
class Workload : public Subject {
public:
  /// `bytes` of data, a multiple of sizeof(double).
  Workload(Operation operation, std::size_t bytes, Memory memory);
  ~Workload() override;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// Returns the function, the data and the size as text.
  std::string name() const;
  Operation operation() const { return operation_; }
  std::size_t bytes() const { return bytes_; }

  /// Performs the operation on small integers. Returns whether this rank has exactly the right result, and
  /// whether the gaps of the vector are unchanged.
  bool is_right(bool native) override;

  /// Performs the operation `calls` times. Returns the seconds that this rank spent in it.
  ///
  /// Before every call all ranks write to every cache line of their input, untimed. No rank runs ahead: the
  /// root changes with each call, and all ranks meet before scans, in which no rank waits for higher ranks.
  double seconds(bool native, int calls) override;

private:
  struct Buffers {
    Buffer data;  ///< the result; for MPI_Bcast also the input
    Buffer input; ///< of the others
  };

  bool is_bcast() const { return operation_ == Operation::bcast || operation_ == Operation::bcast_vector; }
  bool has_result(int root) const {
    if (operation_ == Operation::reduce || operation_ == Operation::gather) return rank_ == root;
    return operation_ != Operation::exscan || rank_ != 0;
  }
  /// Returns the value that is_right() expects in an element of the result.
  double expected(std::size_t index) const;
  /// Returns a number as the operation stores it in place of a double: as two ints if the operation adds
  /// ints.
  double element(double number) const;
  void call(bool native, int root) const;
  const Buffers& buffers(bool native) const { return buffers_[native ? 0 : 1]; }
  std::span<double> input(bool native) const {
    return (is_bcast() ? buffers(native).data : buffers(native).input).values();
  }

  Operation operation_;
  std::size_t bytes_;
  std::size_t stride_ = 1; ///< in doubles; 2 for Operation::bcast_vector
  int count_;
  std::vector<int> counts_, displacements_; ///< of blocks
  MPI_Datatype type_ = MPI_DOUBLE;
  std::array<Buffers, 2> buffers_; ///< for native MPI, and for teams
  int rank_, ranks_;
};

} // namespace bench
