# Runs PROGRAM with the tools NATIVE preloaded, and again with PRELOAD, which contains the library. The tools must report the same, and the
# output must match EXPECTED. If the library is not engaged, exactly one line must say so, for all processes. Run by: cmake
# -DLAUNCH=<launcher and its options> -DPROGRAM=<path and arguments> -DNATIVE=<objects> -DPRELOAD=<objects> -DEXPECTED=<regex> -P
# compare.cmake
cmake_minimum_required(VERSION 3.25)

# run(OUTPUT TOLD objects...) - stores the output of the program, and the lines of the tools, sorted.
function(run output told)
  list(JOIN ARGN " " objects)
  execute_process(COMMAND ${LAUNCH} env "LD_PRELOAD=${objects}" ${PROGRAM} OUTPUT_VARIABLE text ERROR_VARIABLE text
                  RESULT_VARIABLE result)
  message("${objects}:\n${text}")
  if(result OR NOT text MATCHES "all as expected" OR text MATCHES "WRONG RESULT")
    message(FATAL_ERROR "the program failed (${result})")
  endif()
  string(REGEX MATCHALL "tool: [^\n]*" lines "${text}")
  list(SORT lines)
  set(${output} "${text}" PARENT_SCOPE)
  set(${told} "${lines}" PARENT_SCOPE)
endfunction()

run(natively told_natively ${NATIVE})
if(NATIVE AND NOT told_natively)
  message(FATAL_ERROR "the tools see nothing natively")
endif()
run(text told ${PRELOAD})
if(NOT told STREQUAL told_natively)
  message(FATAL_ERROR "the tools see something else than natively")
endif()
string(REGEX MATCHALL "mpi_helper: inactive" said "${text}")
list(LENGTH said times)
if(times GREATER 1)
  message(FATAL_ERROR "said ${times} times")
endif()
if(NOT text MATCHES "${EXPECTED}")
  message(FATAL_ERROR "not as expected: ${EXPECTED}")
endif()
