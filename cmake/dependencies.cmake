# What the library needs. The MPI is chosen explicitly, as a machine may have several: MPICH, or Open MPI (.openmpi).
set(MPI_EXECUTABLE_SUFFIX ".mpich" CACHE STRING "Suffix of the MPI compiler wrappers and launcher to use")
option(MPI_HELPER_ABI "Build libmpi_helper_abi for the standard ABI of MPI 5, to run with any MPI that has it" OFF)
if(MPI_HELPER_ABI)
  # Compiler wrappers for it are not to be had everywhere, so its header and library are looked for.
  find_path(MPI_ABI_INCLUDE_DIR mpi.h PATH_SUFFIXES include/standard_abi include mpi_abi_mpich/include openmpi/include/standard_abi NO_DEFAULT_PATH
            HINTS ${MPI_HOME} PATHS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}" REQUIRED DOC "Folder of the ABI's mpi.h")
  find_library(MPI_ABI_LIBRARY mpi_abi HINTS ${MPI_HOME} PATH_SUFFIXES lib REQUIRED DOC "The MPI library with the ABI, any")
  foreach(language C CXX)
    add_library(MPI::MPI_${language} INTERFACE IMPORTED)
    target_include_directories(MPI::MPI_${language} SYSTEM INTERFACE "${MPI_ABI_INCLUDE_DIR}")
    target_link_libraries(MPI::MPI_${language} INTERFACE "${MPI_ABI_LIBRARY}")
  endforeach()
  set(MPI_C_INCLUDE_DIRS "${MPI_ABI_INCLUDE_DIR}")
  set(MPI_C_LIBRARIES "${MPI_ABI_LIBRARY}")
  find_program(MPIEXEC_EXECUTABLE NAMES "mpiexec${MPI_EXECUTABLE_SUFFIX}" mpiexec HINTS ${MPI_HOME} PATH_SUFFIXES bin REQUIRED)
  set(MPIEXEC_NUMPROC_FLAG -n)
else()
  find_package(MPI REQUIRED COMPONENTS C CXX)
endif()

include(CheckSourceCompiles)
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_source_compiles(C "
#include <mpi.h>
#ifdef MPICH_NUMVERSION
#if MPICH_NUMVERSION < 40000000
#error MPICH older than 4.0
#endif
#endif
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 4
#error Open MPI older than 4.0
#endif
#if !defined(MPICH_NUMVERSION) && !defined(OPEN_MPI) && !defined(MPI_ABI_VERSION)
#error none of them
#endif
int main(void) { return 0; }" MPI_HELPER_FOUND_MPI)
check_symbol_exists(MPICH_NUMVERSION mpi.h MPI_HELPER_MPI_IS_MPICH)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT MPI_HELPER_FOUND_MPI)
  message(FATAL_ERROR
    "MPI Helper Teams needs MPICH 4.0 or newer, or Open MPI 4.0 or newer, but CMake found the MPI of '${MPI_C_COMPILER}' "
    "(headers in ${MPI_C_INCLUDE_DIRS}).\n"
    "On Debian: apt-get install mpich libmpich-dev\n"
    "If MPI is installed elsewhere: delete the build folder and configure again with "
    "-DMPI_HOME=<its prefix> -DMPI_EXECUTABLE_SUFFIX=<suffix of its mpicc, or empty>.")
endif()

# Fortran's modules, examples and tests need a compiler; the functions that Fortran calls do not.
include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  if(MPI_HELPER_ABI)
    find_package(mpif QUIET) # which has Fortran's interfaces over the ABI, of C alone
    set(MPI_Fortran_HAVE_F08_MODULE ${mpif_FOUND})
    add_library(MPI::MPI_Fortran INTERFACE IMPORTED)
    target_link_libraries(MPI::MPI_Fortran INTERFACE mpif::mpif "${MPI_ABI_LIBRARY}")
  else()
    find_package(MPI QUIET COMPONENTS Fortran)
  endif()
endif()
if(MPI_Fortran_HAVE_F08_MODULE)
  set(MPI_HELPER_FORTRAN Fortran)
else()
  message(NOTICE "Without Fortran, as there is no compiler for it that has this MPI's module mpi_f08")
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET "hwloc>=2.5")

# Of the programs, not of the library.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)

if(MPI_HELPER_DEVELOPER)
  find_package(OpenMP REQUIRED COMPONENTS C CXX ${MPI_HELPER_FORTRAN})
  find_package(Catch2 QUIET) # version 2 or 3, of the tests alone
  if(Catch2_FOUND AND Catch2_VERSION VERSION_LESS 2.13)
    message(FATAL_ERROR "The tests need Catch2 2.13 or newer, but CMake found ${Catch2_VERSION} in ${Catch2_DIR}")
  endif()
  find_package(nlohmann_json REQUIRED)

  # LLVM's OpenMP runtime, where there is one.
  file(GLOB folders_of_llvm /usr/lib/llvm-*/lib)
  find_library(LLVM_OPENMP omp HINTS ${folders_of_llvm})

  # Open MPI is measured beside MPICH where it is installed.
  if(MPI_HELPER_MPI_IS_MPICH AND NOT CMAKE_CROSSCOMPILING)
    find_program(OPEN_MPI_COMPILER mpicxx.openmpi)
    find_program(OPEN_MPI_LAUNCHER mpiexec.openmpi)
  endif()
  if(OPEN_MPI_COMPILER)
    add_library(open_mpi INTERFACE)
    foreach(part incdirs libdirs libs)
      execute_process(COMMAND "${OPEN_MPI_COMPILER}" --showme:${part} OUTPUT_VARIABLE open_mpi_${part}
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      separate_arguments(open_mpi_${part})
    endforeach()
    list(REMOVE_ITEM open_mpi_libs mpi_cxx) # the C++ interface, which MPI-3 removed
    list(TRANSFORM open_mpi_libs PREPEND -l) # Open MPI 6 has a library of the same name as the target
    target_include_directories(open_mpi SYSTEM INTERFACE ${open_mpi_incdirs})
    target_link_directories(open_mpi INTERFACE ${open_mpi_libdirs})
    target_link_libraries(open_mpi INTERFACE ${open_mpi_libs})
  endif()
endif()
