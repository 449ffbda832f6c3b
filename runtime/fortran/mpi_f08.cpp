// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of MPI's module mpi_f08. MPICH's own call PMPI where they have no buffer, so the library
// would see a program's MPI_Irecv and not its MPI_Wait; these call what C programs call. Those with buffers
// call it in MPICH too, as does all that mpif.h and the module mpi have. As in MPICH 4.0.2, indices that
// MPI_Waitany and its kin return begin at 0.

#include "fortran/by_reference.hpp"

using namespace helper::fortran;

extern "C" {

void mpi_init_f08_(MPI_Fint* ierror) {
  store(MPI_Init(nullptr, nullptr), ierror);
}

void mpi_init_thread_f08_(const int* required, int* provided, MPI_Fint* ierror) {
  store(MPI_Init_thread(nullptr, nullptr, *required, provided), ierror);
}

void mpi_finalize_f08_(MPI_Fint* ierror) {
  ByReference<MPI_Finalize>::call(ierror);
}

void mpi_error_class_f08_(const int* errorcode, int* errorclass, MPI_Fint* ierror) {
  ByReference<MPI_Error_class>::call(errorcode, errorclass, ierror);
}

void mpi_wait_f08_(MPI_Request* request, MPI_Status* status, MPI_Fint* ierror) {
  ByReference<MPI_Wait>::call(request, status, ierror);
}

void mpi_waitall_f08_(const int* count, MPI_Request* requests, MPI_Status* statuses, MPI_Fint* ierror) {
  ByReference<MPI_Waitall>::call(count, requests, statuses, ierror);
}

void mpi_waitany_f08_(const int* count, MPI_Request* requests, int* index, MPI_Status* status,
                      MPI_Fint* ierror) {
  ByReference<MPI_Waitany>::call(count, requests, index, status, ierror);
}

void mpi_waitsome_f08_(const int* incount, MPI_Request* requests, int* outcount, int* indices,
                       MPI_Status* statuses, MPI_Fint* ierror) {
  ByReference<MPI_Waitsome>::call(incount, requests, outcount, indices, statuses, ierror);
}

void mpi_test_f08_(MPI_Request* request, int* flag, MPI_Status* status, MPI_Fint* ierror) {
  ByReference<MPI_Test>::call(request, flag, status, ierror);
}

void mpi_testall_f08_(const int* count, MPI_Request* requests, int* flag, MPI_Status* statuses,
                      MPI_Fint* ierror) {
  ByReference<MPI_Testall>::call(count, requests, flag, statuses, ierror);
}

void mpi_testany_f08_(const int* count, MPI_Request* requests, int* index, int* flag, MPI_Status* status,
                      MPI_Fint* ierror) {
  ByReference<MPI_Testany>::call(count, requests, index, flag, status, ierror);
}

void mpi_testsome_f08_(const int* incount, MPI_Request* requests, int* outcount, int* indices,
                       MPI_Status* statuses, MPI_Fint* ierror) {
  ByReference<MPI_Testsome>::call(incount, requests, outcount, indices, statuses, ierror);
}

void mpi_probe_f08_(const int* source, const int* tag, const MPI_Comm* comm, MPI_Status* status,
                    MPI_Fint* ierror) {
  ByReference<MPI_Probe>::call(source, tag, comm, status, ierror);
}

void mpi_mprobe_f08_(const int* source, const int* tag, const MPI_Comm* comm, MPI_Message* message,
                     MPI_Status* status, MPI_Fint* ierror) {
  ByReference<MPI_Mprobe>::call(source, tag, comm, message, status, ierror);
}

void mpi_iprobe_f08_(const int* source, const int* tag, const MPI_Comm* comm, int* flag, MPI_Status* status,
                     MPI_Fint* ierror) {
  ByReference<MPI_Iprobe>::call(source, tag, comm, flag, status, ierror);
}

void mpi_improbe_f08_(const int* source, const int* tag, const MPI_Comm* comm, int* flag,
                      MPI_Message* message, MPI_Status* status, MPI_Fint* ierror) {
  ByReference<MPI_Improbe>::call(source, tag, comm, flag, message, status, ierror);
}

void mpi_request_get_status_f08_(const MPI_Request* request, int* flag, MPI_Status* status,
                                 MPI_Fint* ierror) {
  ByReference<MPI_Request_get_status>::call(request, flag, status, ierror);
}

void mpi_request_free_f08_(MPI_Request* request, MPI_Fint* ierror) {
  ByReference<MPI_Request_free>::call(request, ierror);
}

void mpi_cancel_f08_(MPI_Request* request, MPI_Fint* ierror) {
  ByReference<MPI_Cancel>::call(request, ierror);
}

void mpi_start_f08_(MPI_Request* request, MPI_Fint* ierror) {
  ByReference<MPI_Start>::call(request, ierror);
}

void mpi_startall_f08_(const int* count, MPI_Request* requests, MPI_Fint* ierror) {
  ByReference<MPI_Startall>::call(count, requests, ierror);
}

void mpi_barrier_f08_(const MPI_Comm* comm, MPI_Fint* ierror) {
  ByReference<MPI_Barrier>::call(comm, ierror);
}

void mpi_comm_dup_f08_(const MPI_Comm* comm, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_dup>::call(comm, newcomm, ierror);
}

void mpi_comm_dup_with_info_f08_(const MPI_Comm* comm, const MPI_Info* info, MPI_Comm* newcomm,
                                 MPI_Fint* ierror) {
  ByReference<MPI_Comm_dup_with_info>::call(comm, info, newcomm, ierror);
}

void mpi_comm_create_f08_(const MPI_Comm* comm, const MPI_Group* group, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_create>::call(comm, group, newcomm, ierror);
}

void mpi_comm_create_group_f08_(const MPI_Comm* comm, const MPI_Group* group, const int* tag,
                                MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_create_group>::call(comm, group, tag, newcomm, ierror);
}

void mpi_comm_split_f08_(const MPI_Comm* comm, const int* color, const int* key, MPI_Comm* newcomm,
                         MPI_Fint* ierror) {
  ByReference<MPI_Comm_split>::call(comm, color, key, newcomm, ierror);
}

void mpi_comm_split_type_f08_(const MPI_Comm* comm, const int* split_type, const int* key,
                              const MPI_Info* info, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_split_type>::call(comm, split_type, key, info, newcomm, ierror);
}

void mpi_comm_free_f08_(MPI_Comm* comm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_free>::call(comm, ierror);
}

void mpi_comm_disconnect_f08_(MPI_Comm* comm, MPI_Fint* ierror) {
  ByReference<MPI_Comm_disconnect>::call(comm, ierror);
}

void mpi_type_free_f08_(MPI_Datatype* datatype, MPI_Fint* ierror) {
  ByReference<MPI_Type_free>::call(datatype, ierror);
}

void mpi_intercomm_create_f08_(const MPI_Comm* comm, const int* leader, const MPI_Comm* peer_comm,
                               const int* remote, const int* tag, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Intercomm_create>::call(comm, leader, peer_comm, remote, tag, newcomm, ierror);
}

void mpi_intercomm_merge_f08_(const MPI_Comm* intercomm, const int* high, MPI_Comm* newcomm,
                              MPI_Fint* ierror) {
  ByReference<MPI_Intercomm_merge>::call(intercomm, high, newcomm, ierror);
}

void mpi_cart_create_f08_(const MPI_Comm* comm, const int* ndims, const int* dims, const int* periods,
                          const int* reorder, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Cart_create>::call(comm, ndims, dims, periods, reorder, newcomm, ierror);
}

void mpi_cart_sub_f08_(const MPI_Comm* comm, const int* remain_dims, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Cart_sub>::call(comm, remain_dims, newcomm, ierror);
}

void mpi_graph_create_f08_(const MPI_Comm* comm, const int* nnodes, const int* index, const int* edges,
                           const int* reorder, MPI_Comm* newcomm, MPI_Fint* ierror) {
  ByReference<MPI_Graph_create>::call(comm, nnodes, index, edges, reorder, newcomm, ierror);
}

void mpi_alloc_mem_f08_(const MPI_Aint* size, const MPI_Info* info, void* baseptr, MPI_Fint* ierror) {
  ByReference<MPI_Alloc_mem>::call(size, info, baseptr, ierror);
}

void mpi_win_allocate_f08_(const MPI_Aint* size, const int* disp_unit, const MPI_Info* info,
                           const MPI_Comm* comm, void* baseptr, MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_allocate>::call(size, disp_unit, info, comm, baseptr, win, ierror);
}

void mpi_win_allocate_shared_f08_(const MPI_Aint* size, const int* disp_unit, const MPI_Info* info,
                                  const MPI_Comm* comm, void* baseptr, MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_allocate_shared>::call(size, disp_unit, info, comm, baseptr, win, ierror);
}

void mpi_win_create_dynamic_f08_(const MPI_Info* info, const MPI_Comm* comm, MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_create_dynamic>::call(info, comm, win, ierror);
}

void mpi_win_free_f08_(MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_free>::call(win, ierror);
}

void mpi_win_fence_f08_(const int* assert, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_fence>::call(assert, win, ierror);
}

void mpi_win_start_f08_(const MPI_Group* group, const int* assert, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_start>::call(group, assert, win, ierror);
}

void mpi_win_complete_f08_(const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_complete>::call(win, ierror);
}

void mpi_win_wait_f08_(const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_wait>::call(win, ierror);
}

void mpi_win_lock_f08_(const int* lock_type, const int* rank, const int* assert, const MPI_Win* win,
                       MPI_Fint* ierror) {
  ByReference<MPI_Win_lock>::call(lock_type, rank, assert, win, ierror);
}

void mpi_win_lock_all_f08_(const int* assert, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_lock_all>::call(assert, win, ierror);
}

void mpi_win_unlock_f08_(const int* rank, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_unlock>::call(rank, win, ierror);
}

void mpi_win_unlock_all_f08_(const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_unlock_all>::call(win, ierror);
}

void mpi_win_flush_f08_(const int* rank, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_flush>::call(rank, win, ierror);
}

void mpi_win_flush_all_f08_(const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_flush_all>::call(win, ierror);
}

void mpi_win_flush_local_f08_(const int* rank, const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_flush_local>::call(rank, win, ierror);
}

void mpi_win_flush_local_all_f08_(const MPI_Win* win, MPI_Fint* ierror) {
  ByReference<MPI_Win_flush_local_all>::call(win, ierror);
}

} // extern "C"
