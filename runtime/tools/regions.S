/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The shared library replaces these functions of OpenMP runtimes, with which programs open parallel regions. Each calls
 * mpi_helper_tools_region() (regions.cpp), which records the region and returns the runtime's function. Then it jumps to that
 * function, with all arguments unchanged.
 *
 * Their versions are the runtimes' versions, but not default ones. The dynamic linker gives them only to programs that are linked to a
 * runtime, by name and version. No program is linked to them directly, and dlsym() does not find them.
 */

#include "tools/landing.inc"

#if defined __x86_64__

/* mpi_helper_tools_region() gets the address of this on the stack: six registers with arguments, the number of vector registers that
 * a variadic function gets, the return address, and the caller's arguments on the stack. */
.macro note_and_jump entry
  landing_pad
  .irp register, rax, r9, r8, rcx, rdx, rsi, rdi
  push %\register
  .cfi_adjust_cfa_offset 8
  .endr
  lea \entry(%rip), %rdi
  mov %rsp, %rsi
  mov 56(%rsp), %rdx /* the caller's return address */
  call mpi_helper_tools_region
  mov %rax, %r11
  .irp register, rdi, rsi, rdx, rcx, r8, r9, rax
  pop %\register
  .cfi_adjust_cfa_offset -8
  .endr
  jmp *%r11
.endm

#elif defined __aarch64__

/* mpi_helper_tools_region() gets the address of this on the stack: eight registers with arguments. */
.macro note_and_jump entry
  landing_pad
  stp x29, x30, [sp, -96]!
  .cfi_def_cfa_offset 96
  .cfi_offset 29, -96
  .cfi_offset 30, -88
  stp x0, x1, [sp, 16]
  stp x2, x3, [sp, 32]
  stp x4, x5, [sp, 48]
  stp x6, x7, [sp, 64]
  str x8, [sp, 80]
  mov x2, x30 /* the caller's return address */
  adrp x0, \entry
  add x0, x0, :lo12:\entry
  add x1, sp, 16
  bl mpi_helper_tools_region
  mov x16, x0
  ldp x0, x1, [sp, 16]
  ldp x2, x3, [sp, 32]
  ldp x4, x5, [sp, 48]
  ldp x6, x7, [sp, 64]
  ldr x8, [sp, 80]
  ldp x29, x30, [sp], 96
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  br x16
.endm

#endif

/* A function, and its struct Function for regions.cpp. `what` is the kind of call. `flags` is the index of the argument that is the
 * flags of GOMP_parallel, or -1 if there is none. */
.macro function name, version, what, flags
  .text
  .p2align 4
  .type at_\@, %function
at_\@:
  .cfi_startproc
  note_and_jump entry_\@
  .cfi_endproc
  .size at_\@, . - at_\@
  .globl versioned_\@_\name
  .type versioned_\@_\name, %function
  .set versioned_\@_\name, at_\@
  .symver versioned_\@_\name, \name@\version

  .section .rodata.str, "aMS", %progbits, 1
name_\@:
  .asciz "\name"
version_\@:
  .asciz "\version"
  .data
  .p2align 3
entry_\@:
  .quad name_\@, version_\@
  .long \what, \flags
  .quad 0, 0
.endm

/* The kinds of calls: see Says in regions.cpp. */
  .set opens, 0
  .set asks_for_threads, 1
  .set asks_for_binding, 2
  .set ends_threads, 3
  .set may_open_elsewhere, 4
  .set opens_none, 5

/* LLVM's runtime has GCC's functions with GCC's version, and with its own version for programs linked to it. */
.macro gcc name, version, what, flags
  function \name, \version, \what, \flags
  function \name, VERSION, \what, \flags
.endm

  gcc GOMP_parallel, GOMP_4.0, opens, 3
  gcc GOMP_parallel_reductions, GOMP_5.0, opens, 3
  gcc GOMP_parallel_sections, GOMP_4.0, opens, 4
  gcc GOMP_parallel_loop_static, GOMP_4.0, opens, 7
  gcc GOMP_parallel_loop_dynamic, GOMP_4.0, opens, 7
  gcc GOMP_parallel_loop_guided, GOMP_4.0, opens, 7
  gcc GOMP_parallel_loop_runtime, GOMP_4.0, opens, 6
  gcc GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_4.5, opens, 7
  gcc GOMP_parallel_loop_nonmonotonic_guided, GOMP_4.5, opens, 7
  gcc GOMP_parallel_loop_nonmonotonic_runtime, GOMP_5.0, opens, 6
  gcc GOMP_parallel_loop_maybe_nonmonotonic_runtime, GOMP_5.0, opens, 6
  /* Of GCC before 4.9 */
  gcc GOMP_parallel_start, GOMP_1.0, opens, -1
  gcc GOMP_parallel_sections_start, GOMP_1.0, opens, -1
  gcc GOMP_parallel_loop_static_start, GOMP_1.0, opens, -1
  gcc GOMP_parallel_loop_dynamic_start, GOMP_1.0, opens, -1
  gcc GOMP_parallel_loop_guided_start, GOMP_1.0, opens, -1
  gcc GOMP_parallel_loop_runtime_start, GOMP_1.0, opens, -1
  gcc GOMP_target, GOMP_4.0, may_open_elsewhere, -1
  function GOMP_target_ext, GOMP_4.5, may_open_elsewhere, -1
  gcc omp_pause_resource, OMP_5.0, ends_threads, -1
  gcc omp_pause_resource_, OMP_5.0, ends_threads, -1
  gcc omp_pause_resource_all, OMP_5.0, ends_threads, -1
  gcc omp_pause_resource_all_, OMP_5.0, ends_threads, -1
  function __kmpc_push_num_threads, VERSION, asks_for_threads, -1
  function __kmpc_push_proc_bind, VERSION, asks_for_binding, -1
  function __kmpc_serialized_parallel, VERSION, opens_none, -1
  function __kmpc_fork_call, VERSION, opens, -1
  function __kmpc_fork_call_if, VERSION, opens, -1

  .hidden mpi_helper_tools_region

  .section .note.GNU-stack, "", %progbits
