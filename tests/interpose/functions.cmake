# Compares the list of the functions of mpi.h with mpi.h, and with the library's exports. Without LIBRARY and NM it compares the list only
# with mpi.h. Run by: cmake -DCOMPILER=<cc> -DINCLUDES=<directories of mpi.h> -DNM=<nm> -DLIBRARY=<library> -DSOURCE=<repository> -P
# functions.cmake
cmake_minimum_required(VERSION 3.25)
set(SCRATCH "${CMAKE_CURRENT_BINARY_DIR}")
get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)
include("${SOURCE}/runtime/interpose/functions.cmake")

set(wrong "")

# Classes that the list describes as exported must be exported.
foreach(class IN LISTS classes)
  foreach(shown IN LISTS shown_${class})
    string(REGEX MATCH "^([^:]*): (.*)$" matched "${shown}")
    set(file "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    file(READ "${SOURCE}/${file}" test)
    string(FIND "${test}" "\"${name}\")" found)
    if(found EQUAL -1)
      string(APPEND wrong "${file} has no test case \"${name}\"\n")
    endif()
  endforeach()
endforeach()

# The library's.
if(LIBRARY)
  execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE "[@ ].*" "")
endif()

foreach(function IN LISTS declared)
  string(REGEX REPLACE "_c$" "" name "${function}")
  if(function IN_LIST forms)
    if(LIBRARY AND NOT function IN_LIST symbols)
      string(APPEND wrong "${function} is intercepted by runtime/interpose/functions.txt, but not by the library\n")
    endif()
  elseif(name IN_LIST intercepted)
    if(LIBRARY AND function IN_LIST symbols)
      string(APPEND wrong "${function} is native with this MPI by runtime/interpose/functions.txt, but the library intercepts it\n")
    endif()
  elseif(NOT name IN_LIST native)
    string(APPEND wrong "${function} is new. If it receives, probes, completes, starts or cancels what may be announced, intercept it; "
                        "otherwise show by a test why it cannot. Then add it to a class of runtime/interpose/functions.txt\n")
  elseif(function IN_LIST symbols)
    string(APPEND wrong "${function} is native by runtime/interpose/functions.txt, but the library intercepts it\n")
  endif()
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong}")
endif()
list(LENGTH declared count)
message(STATUS "${count} functions, all of them in classes")
