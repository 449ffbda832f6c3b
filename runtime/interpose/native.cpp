// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These functions block in MPI, where the thread can neither be lent nor advance the messages that it has
// under way. What others may wait for goes to MPI before.

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

extern "C" {

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_create, rescue>::call(comm, group, newcomm);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_create_group, rescue>::call(comm, group, tag, newcomm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_split, rescue>::call(comm, color, key, newcomm);
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_split_type, rescue>::call(comm, split_type, key, info, newcomm);
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader,
                         int tag, MPI_Comm* newintercomm) {
  return Entry<PMPI_Intercomm_create, rescue>::call(local_comm, local_leader, peer_comm, remote_leader, tag,
                                                    newintercomm);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return Entry<PMPI_Intercomm_merge, rescue>::call(intercomm, high, newintracomm);
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int* dims, const int* periods, int reorder,
                    MPI_Comm* comm_cart) {
  return Entry<PMPI_Cart_create, rescue>::call(comm_old, ndims, dims, periods, reorder, comm_cart);
}

int MPI_Cart_sub(MPI_Comm comm, const int* remain_dims, MPI_Comm* newcomm) {
  return Entry<PMPI_Cart_sub, rescue>::call(comm, remain_dims, newcomm);
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int* indx, const int* edges, int reorder,
                     MPI_Comm* comm_graph) {
  return Entry<PMPI_Graph_create, rescue>::call(comm_old, nnodes, indx, edges, reorder, comm_graph);
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int* sources, const int* degrees,
                          const int* destinations, const int* weights, MPI_Info info, int reorder,
                          MPI_Comm* comm_dist_graph) {
  return Entry<PMPI_Dist_graph_create, rescue>::call(comm_old, n, sources, degrees, destinations, weights,
                                                     info, reorder, comm_dist_graph);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int* sources,
                                   const int* sourceweights, int outdegree, const int* destinations,
                                   const int* destweights, MPI_Info info, int reorder,
                                   MPI_Comm* comm_dist_graph) {
  return Entry<PMPI_Dist_graph_create_adjacent, rescue>::call(comm_old, indegree, sources, sourceweights,
                                                              outdegree, destinations, destweights, info,
                                                              reorder, comm_dist_graph);
}

int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_accept, rescue>::call(port_name, info, root, comm, newcomm);
}

int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return Entry<PMPI_Comm_connect, rescue>::call(port_name, info, root, comm, newcomm);
}

int MPI_Comm_join(int fd, MPI_Comm* intercomm) {
  return Entry<PMPI_Comm_join, rescue>::call(fd, intercomm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  return Entry<PMPI_Comm_disconnect, rescue>::call(comm);
}

int MPI_Comm_spawn(const char* command, char** argv, int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm* intercomm, int* array_of_errcodes) {
  return Entry<PMPI_Comm_spawn, rescue>::call(command, argv, maxprocs, info, root, comm, intercomm,
                                              array_of_errcodes);
}

int MPI_Comm_spawn_multiple(int count, char** array_of_commands, char*** array_of_argv,
                            const int* array_of_maxprocs, const MPI_Info* array_of_info, int root,
                            MPI_Comm comm, MPI_Comm* intercomm, int* array_of_errcodes) {
  return Entry<PMPI_Comm_spawn_multiple, rescue>::call(count, array_of_commands, array_of_argv,
                                                       array_of_maxprocs, array_of_info, root, comm,
                                                       intercomm, array_of_errcodes);
}

int MPI_Comm_free(MPI_Comm* comm) {
  return Entry<PMPI_Comm_free, rescue>::call(comm);
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                     MPI_Win* win) {
  return Entry<PMPI_Win_allocate, rescue>::call(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                            MPI_Win* win) {
  return Entry<PMPI_Win_allocate_shared, rescue>::call(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return Entry<PMPI_Win_create, rescue>::call(base, size, disp_unit, info, comm, win);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return Entry<PMPI_Win_create_dynamic, rescue>::call(info, comm, win);
}

int MPI_Win_free(MPI_Win* win) {
  return Entry<PMPI_Win_free, rescue>::call(win);
}

int MPI_Win_fence(int assert, MPI_Win win) {
  return Entry<PMPI_Win_fence, rescue>::call(assert, win);
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  return Entry<PMPI_Win_start, rescue>::call(group, assert, win);
}

int MPI_Win_complete(MPI_Win win) {
  return Entry<PMPI_Win_complete, rescue>::call(win);
}

int MPI_Win_wait(MPI_Win win) {
  return Entry<PMPI_Win_wait, rescue>::call(win);
}

int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return Entry<PMPI_Win_lock, rescue>::call(lock_type, rank, assert, win);
}

int MPI_Win_lock_all(int assert, MPI_Win win) {
  return Entry<PMPI_Win_lock_all, rescue>::call(assert, win);
}

int MPI_Win_unlock(int rank, MPI_Win win) {
  return Entry<PMPI_Win_unlock, rescue>::call(rank, win);
}

int MPI_Win_unlock_all(MPI_Win win) {
  return Entry<PMPI_Win_unlock_all, rescue>::call(win);
}

int MPI_Win_flush(int rank, MPI_Win win) {
  return Entry<PMPI_Win_flush, rescue>::call(rank, win);
}

int MPI_Win_flush_all(MPI_Win win) {
  return Entry<PMPI_Win_flush_all, rescue>::call(win);
}

int MPI_Win_flush_local(int rank, MPI_Win win) {
  return Entry<PMPI_Win_flush_local, rescue>::call(rank, win);
}

int MPI_Win_flush_local_all(MPI_Win win) {
  return Entry<PMPI_Win_flush_local_all, rescue>::call(win);
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info) {
  return Entry<PMPI_Win_set_info, rescue>::call(win, info);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                       MPI_Win* win) {
  return Entry<PMPI_Win_allocate_c, rescue>::call(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                              MPI_Win* win) {
  return Entry<PMPI_Win_allocate_shared_c, rescue>::call(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                     MPI_Win* win) {
  return Entry<PMPI_Win_create_c, rescue>::call(base, size, disp_unit, info, comm, win);
}

#endif

} // extern "C"
