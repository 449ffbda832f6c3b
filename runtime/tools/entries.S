/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * For each function X that it intercepts, the shared library has own_MPI_X (see rename.cmake) and these:
 *
 *   MPI_X         programs call it: jumps to a tool's MPI_X if a tool comes after the library, otherwise to own_MPI_X
 *   PMPI_X        tools call it: jumps to own_MPI_X, or to MPI's PMPI_X if MPI itself calls
 *   native_MPI_X  the library calls it: jumps to MPI's PMPI_X
 *
 * Each jumps through a pointer, with the caller's arguments, which are integers and addresses in all of these functions. At first the
 * pointers lead to code that calls mpi_helper_tools_bind(), which sets them, and then jumps to the function again. A constructor of
 * the library might run too late to set them, because constructors of other objects may call MPI.
 */

#include "tools/landing.inc"

#if defined __x86_64__

/* r11 is free between a call and the function. */

.macro jump_through pointer
  jmp *\pointer(%rip)
.endm

.macro jump_if_mpi_calls target
  mov (%rsp), %r11 /* the caller's return address */
  sub mpi_helper_tools_mpi(%rip), %r11
  cmp mpi_helper_tools_mpi+8(%rip), %r11
  jb \target
.endm

.macro bind_and_jump function
  call bind_keeping_arguments
  jmp \function
.endm

  .text
  .type bind_keeping_arguments, %function
bind_keeping_arguments: /* two return addresses and six registers: the stack stays aligned to 16 bytes */
  .cfi_startproc
  .irp register, rdi, rsi, rdx, rcx, r8, r9
  push %\register
  .cfi_adjust_cfa_offset 8
  .endr
  call mpi_helper_tools_bind
  .irp register, r9, r8, rcx, rdx, rsi, rdi
  pop %\register
  .cfi_adjust_cfa_offset -8
  .endr
  ret
  .cfi_endproc
  .size bind_keeping_arguments, . - bind_keeping_arguments

#elif defined __aarch64__

/* x16 and x17 are free between a call and the function. */

.macro jump_through pointer
  adrp x16, \pointer
  ldr x16, [x16, :lo12:\pointer]
  br x16
.endm

.macro jump_if_mpi_calls target
  adrp x16, mpi_helper_tools_mpi
  add x16, x16, :lo12:mpi_helper_tools_mpi
  ldp x16, x17, [x16]
  sub x16, x30, x16 /* the caller's return address */
  cmp x16, x17
  b.lo \target
.endm

.macro bind_and_jump function
  stp x29, x30, [sp, -80]!
  .cfi_def_cfa_offset 80
  .cfi_offset 29, -80
  .cfi_offset 30, -72
  stp x0, x1, [sp, 16]
  stp x2, x3, [sp, 32]
  stp x4, x5, [sp, 48]
  stp x6, x7, [sp, 64]
  bl mpi_helper_tools_bind
  ldp x0, x1, [sp, 16]
  ldp x2, x3, [sp, 32]
  ldp x4, x5, [sp, 48]
  ldp x6, x7, [sp, 64]
  ldp x29, x30, [sp], 80
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  b \function
.endm

#endif

.macro begin function
  .text
  .p2align 4
  .globl \function
  .type \function, %function
\function:
  .cfi_startproc
  landing_pad
.endm

/* Ends a function: continues through the pointer, whose first target is \function.bind. */
.macro continue function, pointer
  jump_through \pointer
  .cfi_endproc
  .size \function, . - \function
  .type \function\().bind, %function
\function\().bind:
  .cfi_startproc
  landing_pad
  bind_and_jump \function
  .cfi_endproc
  .size \function\().bind, . - \function\().bind
.endm

/* The functions, and an element of the array of struct Function in bind.cpp. */
.macro intercepted name
  begin MPI_\name
  continue MPI_\name, to_\name

  begin PMPI_\name
  jump_if_mpi_calls local_native_MPI_\name
  continue PMPI_\name, to_own_\name

  .hidden native_MPI_\name
  begin native_MPI_\name
local_native_MPI_\name:
  continue native_MPI_\name, to_native_\name

  .section .rodata.str, "aMS", %progbits, 1
name_\name:
  .asciz "PMPI_\name"
  .data
  .quad name_\name
to_\name:
  .quad MPI_\name\().bind
to_own_\name:
  .quad PMPI_\name\().bind
to_native_\name:
  .quad native_MPI_\name\().bind
  .quad own_MPI_\name
.endm

  .hidden mpi_helper_tools_mpi, mpi_helper_tools_bind
  .data
  .p2align 3
  .globl mpi_helper_tools_functions, mpi_helper_tools_functions_end
  .hidden mpi_helper_tools_functions, mpi_helper_tools_functions_end
mpi_helper_tools_functions:

#include "intercepted.inc" /* a line "intercepted X" for each */

  .data
mpi_helper_tools_functions_end:

  .section .note.GNU-stack, "", %progbits
