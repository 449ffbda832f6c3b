# Compares the symbols that the shared library shows with the intended list.
# Run by: cmake -DNM=<nm> -DLIBRARY=<library> -DEXPECTED=<list> -DABSENT=<regex of what this MPI lacks> -P exports.cmake
execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "[@ ].*" "")
list(REMOVE_DUPLICATES symbols) # of several versions
list(REMOVE_ITEM symbols MPI_HELPER_0 GOMP_1.0 GOMP_4.0 GOMP_4.5 GOMP_5.0 OMP_5.0 VERSION) # the versions' own
list(SORT symbols)
file(STRINGS "${EXPECTED}" expected REGEX "^[^#]")
if(ABSENT)
  list(FILTER expected EXCLUDE REGEX "${ABSENT}")
endif()
# For tools, which call PMPI_X.
set(profiled ${expected})
list(FILTER profiled INCLUDE REGEX "^MPI_")
list(FILTER profiled EXCLUDE REGEX "^MPI_Helper_")
list(TRANSFORM profiled PREPEND P)
list(APPEND expected ${profiled})
list(SORT expected)
if(NOT symbols STREQUAL expected)
  set(missing ${expected})
  list(REMOVE_ITEM missing ${symbols})
  set(unexpected ${symbols})
  list(REMOVE_ITEM unexpected ${expected})
  message(FATAL_ERROR "The library's symbols differ from ${EXPECTED}.\nmissing: ${missing}\nnot in the list: ${unexpected}")
endif()
list(LENGTH symbols count)
message(STATUS "${count} symbols, as intended")
