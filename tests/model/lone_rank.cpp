// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "lone_rank.hpp"

#include <utility>

#include "ranks/communicator.hpp"
#include "ranks/rank_map.hpp"

namespace {

constexpr int shadow_key = 1;          // communicators have only this attribute
constexpr MPI_Comm own_comm = 1 << 20; // of the library; no rank has so large a handle

const helper::transport::Shadow* shadow = nullptr;
model::Steps taken;
model::Steps posted; // the index is the request

double bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_c(type, &size);
  return static_cast<double>(count * size);
}

/// Returns the agreement that the rank would have reached with the other ranks.
helper::transport::Agreement agreement(int rank, int size, std::size_t chunk, helper::ranks::Nodes nodes) {
  static MPI_Comm last = 0; // new each time, because the library remembers its answers about a communicator
  return {.user = ++last,
          .rank = rank,
          .size = size,
          .comm = MPI_COMM_WORLD,
          .peers = helper::ranks::RankMap::identity(size),
          .port = 1,
          .chunk = chunk,
          .nodes = std::move(nodes)};
}

} // namespace

test_support::LoneRank::LoneRank(int rank, int size, std::size_t chunk, helper::ranks::Nodes nodes)
    : shadow_(agreement(rank, size, chunk, std::move(nodes))) {
  helper::ranks::own_is(own_comm);
  shadow = &shadow_;
  taken.clear();
  posted.clear();
}

test_support::LoneRank::~LoneRank() {
  shadow = nullptr;
}

const model::Steps& test_support::LoneRank::steps() const {
  return taken;
}

int PMPI_Isend_c(const void*, MPI_Count count, MPI_Datatype type, int to, int, MPI_Comm,
                 MPI_Request* request) {
  taken.push_back({.to = to, .sends = bytes_of(count, type)});
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Irecv_c(void*, MPI_Count count, MPI_Datatype type, int from, int, MPI_Comm, MPI_Request* request) {
  *request = static_cast<MPI_Request>(posted.size());
  posted.push_back({.from = from, .takes = bytes_of(count, type)});
  return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status*) {
  *flag = 1;
  taken.push_back(posted[static_cast<std::size_t>(std::exchange(*request, MPI_REQUEST_NULL))]);
  return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int* key, void*) {
  *key = shadow_key;
  return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm, int key, void* value, int* flag) {
  *flag = key == shadow_key ? 1 : 0;
  if (*flag != 0) *static_cast<const void**>(value) = shadow;
  return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm, int* size) {
  *size = shadow->size();
  return MPI_SUCCESS;
}

/// The library calls this function so that MPI checks arguments. They are valid here.
int PMPI_Send_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm) {
  return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
