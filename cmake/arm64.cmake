# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# A toolchain file: compiles for 64-bit ARM (AArch64) with Debian's cross compiler and MPICH.
#
#   cmake --preset release -B build/arm64 --toolchain cmake/arm64.cmake -DCMAKE_SYSROOT=FOLDER
#
# FOLDER has what Debian's packages for arm64 have; tests/arm64/run makes such a one.
if(NOT CMAKE_SYSROOT)
  message(FATAL_ERROR "Say by -DCMAKE_SYSROOT= where the files of Debian's packages for arm64 are")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# Programs are this machine's, all else is the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${what} ONLY)
endforeach()

set(triplet aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
find_program(ARM64_FORTRAN ${triplet}-gfortran)
set(CMAKE_Fortran_COMPILER "")
if(ARM64_FORTRAN)
  set(CMAKE_Fortran_COMPILER "${ARM64_FORTRAN}")
endif()

set(libraries "${CMAKE_SYSROOT}/usr/lib/${triplet}")
set(ENV{PKG_CONFIG_LIBDIR} "${libraries}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")

# What FindMPI learns of MPI's compilers otherwise, which are those of this machine.
set(includes "${CMAKE_SYSROOT}/usr/include/${triplet}/mpich")
file(GLOB modules "${libraries}/fortran/gfortran-mod-*/mpich")
foreach(language C CXX Fortran)
  set(MPI_${language}_LIB_NAMES mpich)
  set(MPI_${language}_COMPILER_INCLUDE_DIRS "${includes}")
endforeach()
set(MPI_Fortran_LIB_NAMES mpichfort mpich)
list(APPEND MPI_Fortran_COMPILER_INCLUDE_DIRS ${modules})
foreach(library mpich mpichfort)
  set(MPI_${library}_LIBRARY "${libraries}/lib${library}.so")
endforeach()

# Tests without MPI start by it; those with MPI only where the system itself starts it for such programs.
find_program(ARM64_EMULATOR qemu-aarch64-static)
if(ARM64_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${ARM64_EMULATOR};-L;${CMAKE_SYSROOT}")
endif()
