# Makes renamed.a, the objects of the shared library, from the static library. Also makes intercepted.inc, a list of the intercepted
# functions X: those that the static library defines as MPI_X and calls as PMPI_X.
#
#   in the static library   in the shared one
#   MPI_X                   own_MPI_X           the library's function
#   PMPI_X                  native_MPI_X        MPI's, which the library calls
#
# entries.S defines MPI_X, PMPI_X and native_MPI_X of the shared library.
# Run it by: cmake -DNM=<nm> -DOBJCOPY=<objcopy> -DLIBRARY=<static library> -DFOLDER=<where to write> -P rename.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${NM}" --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\nMPI_[A-Za-z0-9_]+ T" defined "${symbols}")
string(REGEX MATCHALL "\nPMPI_[A-Za-z0-9_]+ [Uw]" called "${symbols}")
list(TRANSFORM defined REPLACE "^\nMPI_| T$" "")
list(TRANSFORM called REPLACE "^\nPMPI_| [Uw]$" "")
list(REMOVE_DUPLICATES called)
foreach(name ${defined})
  if(name IN_LIST called)
    string(APPEND entries "intercepted ${name}\n")
    string(APPEND renamed "MPI_${name} own_MPI_${name}\nPMPI_${name} native_MPI_${name}\n")
  endif()
endforeach()
if(NOT entries)
  message(FATAL_ERROR "${LIBRARY} has no symbols to rename. With -flto its objects need -ffat-lto-objects")
endif()
file(WRITE "${FOLDER}/intercepted.inc" "${entries}")
file(WRITE "${FOLDER}/renamed.txt" "${renamed}")
execute_process(COMMAND "${OBJCOPY}" "--redefine-syms=${FOLDER}/renamed.txt" "${LIBRARY}" "${FOLDER}/renamed.a"
                COMMAND_ERROR_IS_FATAL ANY)
