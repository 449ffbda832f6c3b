// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These are the blocking neighbourhood collectives.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "message/message.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// Lends, except with Open MPI 4, whose MPI_Ineighbor_alltoall confuses the blocks of two neighbours that are
/// the same rank.
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
  return Entry<PMPI_Neighbor_allgather, lend<PMPI_Ineighbor_allgather>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgatherv, lend<PMPI_Ineighbor_allgatherv>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoall, exchange<PMPI_Ineighbor_alltoall>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                           MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                           MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallv, exchange<PMPI_Ineighbor_alltoallv>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                           const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                           const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallw, exchange<PMPI_Ineighbor_alltoallw>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgather_c, lend<PMPI_Ineighbor_allgather_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype,
                              MPI_Comm comm) {
  return Entry<PMPI_Neighbor_allgatherv_c, lend<PMPI_Ineighbor_allgatherv_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoall_c, exchange<PMPI_Ineighbor_alltoall_c>>::call(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                             MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                             const MPI_Aint* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallv_c, exchange<PMPI_Ineighbor_alltoallv_c>>::call(
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                             const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                             const MPI_Aint* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return Entry<PMPI_Neighbor_alltoallw_c, exchange<PMPI_Ineighbor_alltoallw_c>>::call(
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
}

#endif

} // extern "C"
