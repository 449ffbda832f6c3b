! SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
! SPDX-License-Identifier: BSD-3-Clause

! What the programs f08 and mpi share: checks, and functions that they pass to the library. These pack every second number, and
! fill an array.
module shared
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int64_t, c_ptr
  implicit none
  integer :: rank

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) print '(a,i0,2a)', 'WRONG at rank ', rank, ': ', what
  end subroutine

  subroutine pack(buffer, offset, length, target, data) bind(C)
    type(c_ptr), value :: buffer, target, data
    integer(c_int64_t), value :: offset, length
    integer, pointer :: cells(:), values(:)
    call c_f_pointer(buffer, cells, [2000])
    call c_f_pointer(target, values, [length / 4])
    if (.not. c_associated(buffer, data)) return
    values = cells(offset / 2 + 1:(offset + length) / 2:2)
  end subroutine

  subroutine unpack(buffer, offset, length, source, data) bind(C)
    type(c_ptr), value :: buffer, source, data
    integer(c_int64_t), value :: offset, length
    integer, pointer :: cells(:), values(:)
    call c_f_pointer(buffer, cells, [2000])
    call c_f_pointer(source, values, [length / 4])
    if (c_associated(buffer, data)) cells(offset / 2 + 1:(offset + length) / 2:2) = values
  end subroutine

  subroutine fill(begin, end, data) bind(C)
    integer(c_int64_t), value :: begin, end
    type(c_ptr), value :: data
    integer, pointer :: values(:)
    integer(c_int64_t) :: i
    call c_f_pointer(data, values, [end - 1])
    do i = begin, end - 1
      values(i) = values(i) + int(i)
    end do
  end subroutine
end module
