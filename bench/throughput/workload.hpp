// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/worker.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct Call {
  bool native; ///< PMPI_X in place of MPI_X
  int root;
  const double* from;
  double* data;
  int count;
  MPI_Datatype type;
  const int *counts, *displacements; ///< of blocks
};

struct Element {
  std::size_t index, block; ///< block: elements of a block
  int rank, ranks;
};

/// A collective operation. The size of a message is:
/// - the total of all contributions if the operation divides it,
/// - the data from one rank to another for gather, scatter and alltoall(v),
/// - none for a barrier,
/// - otherwise the contribution of a rank.
/// All ranks have the same sizes.
struct Operation {
  enum class Data { none, block, block_of_each_rank };
  enum class Result { everywhere, at_root, not_at_first };

  const char* name;     ///< on the command line and in JSON
  const char* function; ///< of MPI
  Data sent, received;
  void (*call)(const Call&);
  double (*expected)(const Element&); ///< if the input is the pattern times the rank's number, from 1
  bool divides = false;
  Result result = Result::everywhere;
};

std::span<const Operation> operations();
const Operation& operation_named(const std::string& name);

/// Doubles, zero at first.
class Buffer {
public:
  Buffer() = default;
  /// `alloc_mem`: by MPI_Alloc_mem, or PMPI_Alloc_mem if native.
  Buffer(std::size_t count, bool alloc_mem, bool native);

  std::span<double> values() const { return {first_.get(), count_}; }

private:
  std::unique_ptr<double, void (*)(double*)> first_{nullptr, [](double*) {}};
  std::size_t count_ = 0;
};

class Workload : public Subject {
public:
  /// `bytes` of data, a multiple of sizeof(double).
  Workload(const Operation& operation, std::size_t bytes, bool alloc_mem = false);
  ~Workload() override;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  std::string name() const;

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

  bool is_bcast() const { return operation_.sent == Operation::Data::none; }
  bool has_result(int root) const {
    if (operation_.result == Operation::Result::at_root) return rank_ == root;
    return operation_.result == Operation::Result::everywhere || rank_ != 0;
  }
  /// Returns a number as the operation stores it in place of a double: as two ints if the operation adds
  /// ints.
  double element(double number) const;
  void call(bool native, int root) const;
  const Buffers& buffers(bool native) const { return buffers_[native ? 0 : 1]; }
  std::span<double> input(bool native) const {
    return (is_bcast() ? buffers(native).data : buffers(native).input).values();
  }

  const Operation& operation_;
  std::size_t stride_ = 1; ///< in doubles; 2 for a vector
  std::size_t block_;      ///< doubles
  int count_;
  std::vector<int> counts_, displacements_; ///< of blocks
  MPI_Datatype type_ = MPI_DOUBLE;
  std::array<Buffers, 2> buffers_; ///< for native MPI, and for teams
  int rank_, ranks_;
};

} // namespace bench
