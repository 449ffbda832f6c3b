# Compares the symbols that the shared library shows with the intended list.
# Run by: cmake -DNM=<nm> -DLIBRARY=<library> -DEXPECTED=<list> -P exports.cmake
execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "[@ ].*" "")
list(REMOVE_ITEM symbols MPI_HELPER_0) # the version's own
list(SORT symbols)
file(STRINGS "${EXPECTED}" expected REGEX "^[^#]")
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
