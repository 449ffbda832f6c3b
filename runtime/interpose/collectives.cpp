// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking collectives are carried by the team where it can; otherwise they are non-blocking with the thread
// lent.

#include "collective/collective.hpp"
#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::carried;

namespace {

bool is_nothing(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count == 0) return true;
  MPI_Count element = 1;
  if (ranks::valid_data(buffer, count, type)) PMPI_Type_size_x(type, &element);
  return element == 0;
}

/// Tells whether it is an inter-communicator; of none MPI is to say what is wrong.
bool is_inter(MPI_Comm comm) {
  int flag = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &flag);
  return flag != 0;
}

/// Lends, except for a broadcast of nothing (quirk empty_bcast_does_not_wait). All ranks must do alike, since
/// MPI counts its non-blocking operations. So nobody lends on inter-communicators, where ranks that take no
/// part may pass any count.
template <auto Start>
constexpr auto broadcast = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int root,
                              MPI_Comm comm) -> std::optional<int> {
  if (!is_nothing(buffer, count, type) && !is_inter(comm))
    return lend<Start>(member, buffer, count, type, root, comm);
  message::rescue();
  return std::nullopt;
};

} // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  return Entry<PMPI_Barrier, carried<collective::barrier>, lend<PMPI_Ibarrier>>::call(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return Entry<PMPI_Bcast, carried<collective::bcast>, broadcast<PMPI_Ibcast>>::call(buffer, count, datatype,
                                                                                     root, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  return Entry<PMPI_Allreduce, carried<collective::allreduce>, lend<PMPI_Iallreduce>>::call(
      sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm) {
  return Entry<PMPI_Reduce, carried<collective::reduce>, lend<PMPI_Ireduce>>::call(sendbuf, recvbuf, count,
                                                                                   datatype, op, root, comm);
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Gather, carried<collective::gather>, lend<PMPI_Igather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int* recvcounts, const int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Gatherv, carried<collective::gatherv>, lend<PMPI_Igatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Scatter, carried<collective::scatter>, lend<PMPI_Iscatter>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Scatterv(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Scatterv, carried<collective::scatterv>, lend<PMPI_Iscatterv>>::call(
      sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Allgather, carried<collective::allgather>, lend<PMPI_Iallgather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Allgatherv, carried<collective::allgatherv>, lend<PMPI_Iallgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Alltoall, carried<collective::alltoall>, lend<PMPI_Ialltoall>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                  void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return Entry<PMPI_Alltoallv, carried<collective::alltoallv>, lend<PMPI_Ialltoallv>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int MPI_Alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
                  const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, const int* rdispls,
                  const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Alltoallw, carried<collective::alltoallw>, lend<PMPI_Ialltoallw>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm) {
  return Entry<PMPI_Reduce_scatter, carried<collective::reduce_scatter>, lend<PMPI_Ireduce_scatter>>::call(
      sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm) {
  return Entry<PMPI_Reduce_scatter_block, carried<collective::reduce_scatter_block>,
               lend<PMPI_Ireduce_scatter_block>>::call(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return Entry<PMPI_Scan, carried<collective::scan>, lend<PMPI_Iscan>>::call(sendbuf, recvbuf, count,
                                                                             datatype, op, comm);
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
  return Entry<PMPI_Exscan, carried<collective::exscan>, lend<PMPI_Iexscan>>::call(sendbuf, recvbuf, count,
                                                                                   datatype, op, comm);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return Entry<PMPI_Bcast_c, carried<collective::bcast>, broadcast<PMPI_Ibcast_c>>::call(
      buffer, count, datatype, root, comm);
}

int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm) {
  return Entry<PMPI_Allreduce_c, carried<collective::allreduce>, lend<PMPI_Iallreduce_c>>::call(
      sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm) {
  return Entry<PMPI_Reduce_c, carried<collective::reduce>, lend<PMPI_Ireduce_c>>::call(
      sendbuf, recvbuf, count, datatype, op, root, comm);
}

int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Gather_c, carried<collective::gather>, lend<PMPI_Igather_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, int root,
                  MPI_Comm comm) {
  return Entry<PMPI_Gatherv_c, carried<collective::gatherv>, lend<PMPI_Igatherv_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return Entry<PMPI_Scatter_c, carried<collective::scatter>, lend<PMPI_Iscatter_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Scatterv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* displs,
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                   MPI_Comm comm) {
  return Entry<PMPI_Scatterv_c, carried<collective::scatterv>, lend<PMPI_Iscatterv_c>>::call(
      sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Allgather_c, carried<collective::allgather>, lend<PMPI_Iallgather_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                     MPI_Comm comm) {
  return Entry<PMPI_Allgatherv_c, carried<collective::allgatherv>, lend<PMPI_Iallgatherv_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Alltoall_c, carried<collective::alltoall>, lend<PMPI_Ialltoall_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Alltoallv_c, carried<collective::alltoallv>, lend<PMPI_Ialltoallv_c>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                    const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Alltoallw_c, carried<collective::alltoallw>, lend<PMPI_Ialltoallw_c>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return Entry<PMPI_Reduce_scatter_c, carried<collective::reduce_scatter>,
               lend<PMPI_Ireduce_scatter_c>>::call(sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm) {
  return Entry<PMPI_Reduce_scatter_block_c, carried<collective::reduce_scatter_block>,
               lend<PMPI_Ireduce_scatter_block_c>>::call(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
  return Entry<PMPI_Scan_c, carried<collective::scan>, lend<PMPI_Iscan_c>>::call(sendbuf, recvbuf, count,
                                                                                 datatype, op, comm);
}

int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm) {
  return Entry<PMPI_Exscan_c, carried<collective::exscan>, lend<PMPI_Iexscan_c>>::call(
      sendbuf, recvbuf, count, datatype, op, comm);
}

#endif

// These communicator constructors have a non-blocking form.

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_dup, lend<PMPI_Comm_idup>>::call(comm, newcomm);
}

#if MPI_VERSION >= 4
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_dup_with_info, lend<PMPI_Comm_idup_with_info>>::call(comm, info, newcomm);
}
#endif

} // extern "C"

// The rest are neighbourhood collectives.

namespace {

/// Lends, except with an MPI 3.1: quirk confuses_equal_neighbours.
template <auto Start>
constexpr auto exchange = [](team::Member& member, auto... arguments) -> std::optional<int> {
  if constexpr (MPI_VERSION >= 4) return lend<Start>(member, arguments...);
  message::rescue();
  return std::nullopt;
};

} // namespace

extern "C" {

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgather, carried<collective::neighbor_allgather>,
               lend<PMPI_Ineighbor_allgather>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                     recvtype, comm);
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgatherv, carried<collective::neighbor_allgatherv>,
               lend<PMPI_Ineighbor_allgatherv>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                      displs, recvtype, comm);
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoall, carried<collective::neighbor_alltoall>,
               exchange<PMPI_Ineighbor_alltoall>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                        recvtype, comm);
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                           MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                           MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallv, carried<collective::neighbor_alltoallv>,
               exchange<PMPI_Ineighbor_alltoallv>>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                         recvcounts, rdispls, recvtype, comm);
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                           const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                           const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallw, carried<collective::neighbor_alltoallw>,
               exchange<PMPI_Ineighbor_alltoallw>>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                         recvcounts, rdispls, recvtypes, comm);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgather_c, carried<collective::neighbor_allgather>,
               lend<PMPI_Ineighbor_allgather_c>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                       recvtype, comm);
}

int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                              MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgatherv_c, carried<collective::neighbor_allgatherv>,
               lend<PMPI_Ineighbor_allgatherv_c>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                        displs, recvtype, comm);
}

int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoall_c, carried<collective::neighbor_alltoall>,
               exchange<PMPI_Ineighbor_alltoall_c>>::call(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                          recvtype, comm);
}

int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                             MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                             const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallv_c, carried<collective::neighbor_alltoallv>,
               exchange<PMPI_Ineighbor_alltoallv_c>>::call(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                           recvcounts, rdispls, recvtype, comm);
}

int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                             const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                             const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallw_c, carried<collective::neighbor_alltoallw>,
               exchange<PMPI_Ineighbor_alltoallw_c>>::call(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                           recvcounts, rdispls, recvtypes, comm);
}

#endif

} // extern "C"
