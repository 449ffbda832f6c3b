// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These functions are intercepted for no more than to be counted (shm/traffic.hpp): each counts and jumps to
// the native function, with all arguments where they are. In C++ each would be written with all its parameters.

#include "interpose/landing.inc"

  .text
  .hidden mpi_helper_requests
  .hidden mpi_helper_lasting
  .hidden mpi_helper_sent

#if defined(__x86_64__)

// r11 is nobody's between a call and the function.
  .macro count counter
  lock incq \counter(%rip)
  .endm
  .macro count_sent
  movq mpi_helper_sent(%rip), %r11
  incq (%r11)
  .endm
  .macro jump_to_native name
  jmp PMPI_\name@PLT
  .endm

#elif defined(__aarch64__)

// x16 and x17 are nobody's between a call and the function, and x15 is the caller's loss. Counting acquires and releases,
// which is what compilers make of begin() in shm/traffic.hpp; x86's `lock` does no less.
  .macro count counter
  adrp x16, \counter
  add x16, x16, :lo12:\counter
1: ldaxr x17, [x16]
  add x17, x17, #1
  stlxr w15, x17, [x16]
  cbnz w15, 1b
  .endm
  .macro count_sent
  adrp x16, mpi_helper_sent
  ldr x16, [x16, :lo12:mpi_helper_sent]
  ldr x17, [x16]
  add x17, x17, #1
  str x17, [x16]
  .endm
  .macro jump_to_native name
  b PMPI_\name
  .endm

#endif

  .macro function name
  .globl MPI_\name
  .type MPI_\name, %function
  .p2align 4
MPI_\name:
  .cfi_startproc
  landing_pad
  .endm
  .macro to_native name
  jump_to_native \name
  .cfi_endproc
  .size MPI_\name, . - MPI_\name
  .endm

// The function begins a request that the program completes.
  .macro begins name
  function \name
  count mpi_helper_requests
  count_sent
  to_native \name
  .endm

// The function makes a persistent request, or something else that MPI has to get on with until it is freed.
  .macro lasts name
  function \name
  count mpi_helper_lasting
  count_sent
  to_native \name
  .endm

// The function sends something, as part of what has been counted already.
  .macro sends name
  function \name
  count_sent
  to_native \name
  .endm

  lasts Bsend_init
  lasts Buffer_attach
  begins Comm_idup
  begins File_iread
  begins File_iread_all
  begins File_iread_at
  begins File_iread_at_all
  begins File_iread_shared
  begins File_iwrite
  begins File_iwrite_all
  begins File_iwrite_at
  begins File_iwrite_at_all
  begins File_iwrite_shared
  begins Grequest_start
  begins Ialltoallv
  begins Ialltoallw
  begins Ibarrier
  begins Ibsend
  begins Igatherv
  begins Iscatterv
  begins Raccumulate
  begins Rget
  begins Rget_accumulate
  begins Rput

  sends Accumulate
  sends Compare_and_swap
  sends Fetch_and_op
  sends Get
  sends Get_accumulate
  sends Put

#ifdef MPI_HELPER_MPI_4_BUT_COUNTS

  lasts Alltoallv_init
  lasts Alltoallw_init
  lasts Barrier_init
  begins Comm_idup_with_info
  lasts Gatherv_init
  lasts Scatterv_init

#ifndef MPI_HELPER_PARTITIONED // see persistent.cpp

  lasts Precv_init
  lasts Psend_init
  sends Pready
  sends Pready_list
  sends Pready_range

#endif
#endif
#ifdef MPI_HELPER_MPI_4

  lasts Alltoallv_init_c
  lasts Alltoallw_init_c
  lasts Bsend_init_c
  lasts Buffer_attach_c
  begins File_iread_all_c
  begins File_iread_at_all_c
  begins File_iread_at_c
  begins File_iread_c
  begins File_iread_shared_c
  begins File_iwrite_all_c
  begins File_iwrite_at_all_c
  begins File_iwrite_at_c
  begins File_iwrite_c
  begins File_iwrite_shared_c
  lasts Gatherv_init_c
  begins Ialltoallv_c
  begins Ialltoallw_c
  begins Ibsend_c
  begins Igatherv_c
  begins Iscatterv_c
  begins Raccumulate_c
  begins Rget_accumulate_c
  begins Rget_c
  begins Rput_c
  lasts Scatterv_init_c

  sends Accumulate_c
  sends Get_accumulate_c
  sends Get_c
  sends Put_c

#endif
#ifdef MPI_HELPER_MPI_4_1

  lasts Comm_attach_buffer
  lasts Comm_attach_buffer_c
  lasts Session_attach_buffer
  lasts Session_attach_buffer_c

#endif

  .section .note.GNU-stack, "", %progbits
