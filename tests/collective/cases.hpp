// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <string>
#include <vector>

#include "layout/type.hpp"
#include "support/draw.hpp"
#include "support/families.hpp"
#include "support/helpers.hpp"
#include "support/ranks.hpp"

/// Random inputs for collective operations, equal on all ranks, and comparisons with native MPI.
namespace test_support {

/// A communicator. The destructor frees it unless it is predefined.
class Comm {
public:
  explicit Comm(MPI_Comm comm) : comm_(comm) { PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN); }
  Comm(Comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  ~Comm() {
    if (comm_ != MPI_COMM_NULL && comm_ != MPI_COMM_WORLD && comm_ != MPI_COMM_SELF) MPI_Comm_free(&comm_);
  }
  operator MPI_Comm() const { return comm_; }
  int rank() const {
    int rank = 0;
    PMPI_Comm_rank(comm_, &rank);
    return rank;
  }
  int size() const {
    int size = 0;
    PMPI_Comm_size(comm_, &size);
    return size;
  }

private:
  MPI_Comm comm_;
};

/// Returns an inter-communicator between two groups of the world: the ranks that pass true, rank 0 among
/// them, and the ranks that pass false, rank 1 among them.
inline Comm between_groups(bool first) {
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, first ? 0 : 1, 0, &local);
  PMPI_Intercomm_create(local, 0, MPI_COMM_WORLD, first ? 1 : 0, 0, &inter);
  PMPI_Comm_free(&local);
  return Comm(inter);
}

/// Returns the world with its ranks reversed, made by MPIX_Group_comm_create.
inline Comm reversed_world() {
  int ranks[1][3] = {{size_of(MPI_COMM_WORLD) - 1, 0, -1}};
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group reversed = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_range_incl(all, 1, ranks, &reversed);
  MPIX_Group_comm_create(MPI_COMM_WORLD, reversed, 0, &made);
  PMPI_Group_free(&reversed);
  PMPI_Group_free(&all);
  return Comm(made);
}

/// Returns the communicators to test: the world, the world reversed, half of the world, this process alone.
inline std::vector<Comm> communicators() {
  const Comm world(MPI_COMM_WORLD);
  MPI_Comm half = MPI_COMM_NULL;
  PMPI_Comm_split(world, world.rank() % 2, 0, &half);
  std::vector<Comm> all;
  all.emplace_back(MPI_COMM_WORLD);
  all.push_back(reversed_world());
  all.emplace_back(half);
  all.emplace_back(MPI_COMM_SELF);
  return all;
}

/// Memory for `count` elements of `type`. address() is the address to pass to MPI.
struct Buffer {
  Buffer(MPI_Datatype type, int count) : span(type, count), bytes(span.size() + 1) {}
  void* address() { return bytes.data() - span.begin; }

  Span span;
  std::vector<unsigned char> bytes;
};

} // namespace test_support
