// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "operations.hpp"

#include <mpi.h>

#include <array>
#include <numeric>
#include <vector>

namespace bench {
namespace {

using helper::collective::Operation;

const MPI_Comm world = MPI_COMM_WORLD;

void barrier(const double*, double*, int, int, int) {
  MPI_Barrier(world);
}
void bcast(const double*, double* data, int count, int, int root) {
  MPI_Bcast(data, count, MPI_DOUBLE, root, world);
}
void reduce(const double* send, double* receive, int count, int, int root) {
  MPI_Reduce(send, receive, count, MPI_DOUBLE, MPI_SUM, root, world);
}
void allreduce(const double* send, double* receive, int count, int, int) {
  MPI_Allreduce(send, receive, count, MPI_DOUBLE, MPI_SUM, world);
}
void reduce_scatter(const double* send, double* receive, int count, int ranks, int) {
  std::vector<int> counts(static_cast<std::size_t>(ranks), count / ranks);
  counts.front() += count % ranks;
  MPI_Reduce_scatter(send, receive, counts.data(), MPI_DOUBLE, MPI_SUM, world);
}
void reduce_scatter_block(const double* send, double* receive, int count, int ranks, int) {
  MPI_Reduce_scatter_block(send, receive, count / ranks, MPI_DOUBLE, MPI_SUM, world);
}
void gather(const double* send, double* receive, int count, int, int root) {
  MPI_Gather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, root, world);
}
void scatter(const double* send, double* receive, int count, int, int root) {
  MPI_Scatter(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, root, world);
}
void allgather(const double* send, double* receive, int count, int ranks, int) {
  MPI_Allgather(send, count / ranks, MPI_DOUBLE, receive, count / ranks, MPI_DOUBLE, world);
}
void allgatherv(const double* send, double* receive, int count, int ranks, int) {
  std::vector<int> counts(static_cast<std::size_t>(ranks), count / ranks);
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  MPI_Allgatherv(send, count / ranks, MPI_DOUBLE, receive, counts.data(), offsets.data(), MPI_DOUBLE, world);
}
void alltoall(const double* send, double* receive, int count, int, int) {
  MPI_Alltoall(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, world);
}
void scan(const double* send, double* receive, int count, int, int) {
  MPI_Scan(send, receive, count, MPI_DOUBLE, MPI_SUM, world);
}
void exscan(const double* send, double* receive, int count, int, int) {
  MPI_Exscan(send, receive, count, MPI_DOUBLE, MPI_SUM, world);
}

constexpr std::array all{
    Tunable{Operation::barrier, barrier},
    Tunable{Operation::bcast, bcast},
    Tunable{Operation::allreduce, allreduce},
    Tunable{Operation::reduce, reduce},
    Tunable{Operation::reduce_scatter, reduce_scatter},
    Tunable{Operation::reduce_scatter_block, reduce_scatter_block},
    Tunable{Operation::scan, scan},
    Tunable{Operation::exscan, exscan},
    Tunable{Operation::gather, gather},
    Tunable{Operation::scatter, scatter},
    Tunable{Operation::alltoall, alltoall},
    Tunable{Operation::allgather, allgather},
    Tunable{Operation::allgatherv, allgatherv},
};

} // namespace

std::span<const Tunable> tunables() {
  return all;
}

} // namespace bench
