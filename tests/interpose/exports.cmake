# Compares the symbols that the shared library exports with the intended ones: functions of MPI, and the library's own. Run by: cmake
# -DNM=<nm> -DLIBRARY=<library> -DINTERCEPTED=<list of functions of MPI> -DOWN=<list of the library's functions> -P exports.cmake
execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "[@ ].*" "")
list(REMOVE_DUPLICATES symbols) # of several versions
list(REMOVE_ITEM symbols MPI_HELPER_0 GOMP_1.0 GOMP_4.0 GOMP_4.5 GOMP_5.0 OMP_5.0 VERSION) # the versions' own
list(SORT symbols)
file(STRINGS "${INTERCEPTED}" intercepted)
list(TRANSFORM intercepted PREPEND P OUTPUT_VARIABLE profiled) # for tools, which call PMPI_X
file(STRINGS "${OWN}" own REGEX "^[^#]")
set(expected ${intercepted} ${profiled} ${own})
list(SORT expected)
if(NOT symbols STREQUAL expected)
  set(missing ${expected})
  list(REMOVE_ITEM missing ${symbols})
  set(unexpected ${symbols})
  list(REMOVE_ITEM unexpected ${expected})
  message(FATAL_ERROR "The library's symbols differ from those in ${INTERCEPTED} and ${OWN}.\nmissing: ${missing}\nin neither list: ${unexpected}")
endif()
list(LENGTH symbols count)
message(STATUS "${count} symbols, as intended")
