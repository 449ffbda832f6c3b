// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "interpose/every_function.hpp"

namespace every_function {

namespace {

constexpr std::array<int, 2> counts{n, n}, at{0, n}, at_bytes{0, n * 4};
constexpr std::array<MPI_Count, 2> counts_c{n, n};
constexpr std::array<MPI_Aint, 2> at_c{0, n}, at_bytes_c{0, n * 4};
const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
const int *const c = counts.data(), *const d = at.data(), *const w = at_bytes.data();
const MPI_Count* const cc = counts_c.data();
const MPI_Aint *const dc = at_c.data(), *const wc = at_bytes_c.data();
const MPI_Datatype* const t = types.data();

void blocking_collectives() {
  CALL(MPI_Barrier)(all);
  BOTH(MPI_Bcast, a, n, MPI_INT, 0, all);
  BOTH(MPI_Gather, a, n, MPI_INT, b, n, MPI_INT, 0, all);
  BOTH(MPI_Scatter, a, n, MPI_INT, b, n, MPI_INT, 0, all);
  BOTH(MPI_Allgather, a, n, MPI_INT, b, n, MPI_INT, all);
  BOTH(MPI_Alltoall, a, n, MPI_INT, b, n, MPI_INT, all);
  BOTH(MPI_Reduce, a, b, n, MPI_INT, MPI_SUM, 0, all);
  BOTH(MPI_Allreduce, a, b, n, MPI_INT, MPI_SUM, all);
  BOTH(MPI_Scan, a, b, n, MPI_INT, MPI_SUM, all);
  BOTH(MPI_Exscan, a, b, n, MPI_INT, MPI_SUM, all);
  BOTH(MPI_Reduce_scatter_block, a, b, n, MPI_INT, MPI_SUM, all);
  CALL(MPI_Reduce_scatter)(a, b, c, MPI_INT, MPI_SUM, all);
  CALL(MPI_Reduce_scatter_c)(a, b, cc, MPI_INT, MPI_SUM, all);
  CALL(MPI_Gatherv)(a, n, MPI_INT, b, c, d, MPI_INT, 0, all);
  CALL(MPI_Gatherv_c)(a, n, MPI_INT, b, cc, dc, MPI_INT, 0, all);
  CALL(MPI_Scatterv)(a, c, d, MPI_INT, b, n, MPI_INT, 0, all);
  CALL(MPI_Scatterv_c)(a, cc, dc, MPI_INT, b, n, MPI_INT, 0, all);
  CALL(MPI_Allgatherv)(a, n, MPI_INT, b, c, d, MPI_INT, all);
  CALL(MPI_Allgatherv_c)(a, n, MPI_INT, b, cc, dc, MPI_INT, all);
  CALL(MPI_Alltoallv)(a, c, d, MPI_INT, b, c, d, MPI_INT, all);
  CALL(MPI_Alltoallv_c)(a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, all);
  CALL(MPI_Alltoallw)(a, c, w, t, b, c, w, t, all);
  CALL(MPI_Alltoallw_c)(a, cc, wc, t, b, cc, wc, t, all);
}

void nonblocking_collectives() {
  BEGIN(MPI_Ibarrier, all);
  BEGIN_BOTH(MPI_Ibcast, a, n, MPI_INT, 0, all);
  BEGIN_BOTH(MPI_Igather, a, n, MPI_INT, b, n, MPI_INT, 0, all);
  BEGIN_BOTH(MPI_Iscatter, a, n, MPI_INT, b, n, MPI_INT, 0, all);
  BEGIN_BOTH(MPI_Iallgather, a, n, MPI_INT, b, n, MPI_INT, all);
  BEGIN_BOTH(MPI_Ialltoall, a, n, MPI_INT, b, n, MPI_INT, all);
  BEGIN_BOTH(MPI_Ireduce, a, b, n, MPI_INT, MPI_SUM, 0, all);
  BEGIN_BOTH(MPI_Iallreduce, a, b, n, MPI_INT, MPI_SUM, all);
  BEGIN_BOTH(MPI_Iscan, a, b, n, MPI_INT, MPI_SUM, all);
  BEGIN_BOTH(MPI_Iexscan, a, b, n, MPI_INT, MPI_SUM, all);
  BEGIN_BOTH(MPI_Ireduce_scatter_block, a, b, n, MPI_INT, MPI_SUM, all);
  BEGIN(MPI_Ireduce_scatter, a, b, c, MPI_INT, MPI_SUM, all);
  BEGIN(MPI_Ireduce_scatter_c, a, b, cc, MPI_INT, MPI_SUM, all);
  BEGIN(MPI_Igatherv, a, n, MPI_INT, b, c, d, MPI_INT, 0, all);
  BEGIN(MPI_Igatherv_c, a, n, MPI_INT, b, cc, dc, MPI_INT, 0, all);
  BEGIN(MPI_Iscatterv, a, c, d, MPI_INT, b, n, MPI_INT, 0, all);
  BEGIN(MPI_Iscatterv_c, a, cc, dc, MPI_INT, b, n, MPI_INT, 0, all);
  BEGIN(MPI_Iallgatherv, a, n, MPI_INT, b, c, d, MPI_INT, all);
  BEGIN(MPI_Iallgatherv_c, a, n, MPI_INT, b, cc, dc, MPI_INT, all);
  BEGIN(MPI_Ialltoallv, a, c, d, MPI_INT, b, c, d, MPI_INT, all);
  BEGIN(MPI_Ialltoallv_c, a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, all);
  BEGIN(MPI_Ialltoallw, a, c, w, t, b, c, w, t, all);
  BEGIN(MPI_Ialltoallw_c, a, cc, wc, t, b, cc, wc, t, all);
}

void persistent_collectives() {
  const MPI_Info none = MPI_INFO_NULL;
  MAKE(MPI_Barrier_init, all, none);
  MAKE_BOTH(MPI_Bcast_init, a, n, MPI_INT, 0, all, none);
  MAKE_BOTH(MPI_Gather_init, a, n, MPI_INT, b, n, MPI_INT, 0, all, none);
  MAKE_BOTH(MPI_Scatter_init, a, n, MPI_INT, b, n, MPI_INT, 0, all, none);
  MAKE_BOTH(MPI_Allgather_init, a, n, MPI_INT, b, n, MPI_INT, all, none);
  MAKE_BOTH(MPI_Alltoall_init, a, n, MPI_INT, b, n, MPI_INT, all, none);
  MAKE_BOTH(MPI_Reduce_init, a, b, n, MPI_INT, MPI_SUM, 0, all, none);
  MAKE_BOTH(MPI_Allreduce_init, a, b, n, MPI_INT, MPI_SUM, all, none);
  MAKE_BOTH(MPI_Scan_init, a, b, n, MPI_INT, MPI_SUM, all, none);
  MAKE_BOTH(MPI_Exscan_init, a, b, n, MPI_INT, MPI_SUM, all, none);
  MAKE_BOTH(MPI_Reduce_scatter_block_init, a, b, n, MPI_INT, MPI_SUM, all, none);
  MAKE(MPI_Reduce_scatter_init, a, b, c, MPI_INT, MPI_SUM, all, none);
  MAKE(MPI_Reduce_scatter_init_c, a, b, cc, MPI_INT, MPI_SUM, all, none);
  MAKE(MPI_Gatherv_init, a, n, MPI_INT, b, c, d, MPI_INT, 0, all, none);
  MAKE(MPI_Gatherv_init_c, a, n, MPI_INT, b, cc, dc, MPI_INT, 0, all, none);
  MAKE(MPI_Scatterv_init, a, c, d, MPI_INT, b, n, MPI_INT, 0, all, none);
  MAKE(MPI_Scatterv_init_c, a, cc, dc, MPI_INT, b, n, MPI_INT, 0, all, none);
  MAKE(MPI_Allgatherv_init, a, n, MPI_INT, b, c, d, MPI_INT, all, none);
  MAKE(MPI_Allgatherv_init_c, a, n, MPI_INT, b, cc, dc, MPI_INT, all, none);
  MAKE(MPI_Alltoallv_init, a, c, d, MPI_INT, b, c, d, MPI_INT, all, none);
  MAKE(MPI_Alltoallv_init_c, a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, all, none);
  MAKE(MPI_Alltoallw_init, a, c, w, t, b, c, w, t, all, none);
  MAKE(MPI_Alltoallw_init_c, a, cc, wc, t, b, cc, wc, t, all, none);
}

/// Uses a ring of two ranks, in which both neighbours of a rank are the other rank.
void neighbors() {
  MPI_Comm ring = MPI_COMM_NULL;
  constexpr std::array<int, 1> size{2}, is_periodic{1}, remains{1};
  CALL(MPI_Cart_create)(all, 1, size.data(), is_periodic.data(), 0, &ring);
  const MPI_Info none = MPI_INFO_NULL;
  BOTH(MPI_Neighbor_allgather, a, n, MPI_INT, b, n, MPI_INT, ring);
  BOTH(MPI_Neighbor_alltoall, a, n, MPI_INT, b, n, MPI_INT, ring);
  CALL(MPI_Neighbor_allgatherv)(a, n, MPI_INT, b, c, d, MPI_INT, ring);
  CALL(MPI_Neighbor_allgatherv_c)(a, n, MPI_INT, b, cc, dc, MPI_INT, ring);
  CALL(MPI_Neighbor_alltoallv)(a, c, d, MPI_INT, b, c, d, MPI_INT, ring);
  CALL(MPI_Neighbor_alltoallv_c)(a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, ring);
  CALL(MPI_Neighbor_alltoallw)(a, c, wc, t, b, c, wc, t, ring);
  CALL(MPI_Neighbor_alltoallw_c)(a, cc, wc, t, b, cc, wc, t, ring);
  BEGIN_BOTH(MPI_Ineighbor_allgather, a, n, MPI_INT, b, n, MPI_INT, ring);
  BEGIN_BOTH(MPI_Ineighbor_alltoall, a, n, MPI_INT, b, n, MPI_INT, ring);
  BEGIN(MPI_Ineighbor_allgatherv, a, n, MPI_INT, b, c, d, MPI_INT, ring);
  BEGIN(MPI_Ineighbor_allgatherv_c, a, n, MPI_INT, b, cc, dc, MPI_INT, ring);
  BEGIN(MPI_Ineighbor_alltoallv, a, c, d, MPI_INT, b, c, d, MPI_INT, ring);
  BEGIN(MPI_Ineighbor_alltoallv_c, a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, ring);
  BEGIN(MPI_Ineighbor_alltoallw, a, c, wc, t, b, c, wc, t, ring);
  BEGIN(MPI_Ineighbor_alltoallw_c, a, cc, wc, t, b, cc, wc, t, ring);
  MAKE_BOTH(MPI_Neighbor_allgather_init, a, n, MPI_INT, b, n, MPI_INT, ring, none);
  MAKE_BOTH(MPI_Neighbor_alltoall_init, a, n, MPI_INT, b, n, MPI_INT, ring, none);
  MAKE(MPI_Neighbor_allgatherv_init, a, n, MPI_INT, b, c, d, MPI_INT, ring, none);
  MAKE(MPI_Neighbor_allgatherv_init_c, a, n, MPI_INT, b, cc, dc, MPI_INT, ring, none);
  MAKE(MPI_Neighbor_alltoallv_init, a, c, d, MPI_INT, b, c, d, MPI_INT, ring, none);
  MAKE(MPI_Neighbor_alltoallv_init_c, a, cc, dc, MPI_INT, b, cc, dc, MPI_INT, ring, none);
  MAKE(MPI_Neighbor_alltoallw_init, a, c, wc, t, b, c, wc, t, ring, none);
  MAKE(MPI_Neighbor_alltoallw_init_c, a, cc, wc, t, b, cc, wc, t, ring, none);
  MPI_Comm line = MPI_COMM_NULL;
  CALL(MPI_Cart_sub)(ring, remains.data(), &line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&ring);
}

} // namespace

void collectives() {
  blocking_collectives();
  nonblocking_collectives();
  persistent_collectives();
  neighbors();
}

} // namespace every_function
