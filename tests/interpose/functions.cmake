# Compares the list of the functions of mpi.h with mpi.h, with what the library shows, and with the page made of it.
# Run by: cmake -DCOMPILER=<cc> -DINCLUDES=<directories of mpi.h> -DNM=<nm> -DLIBRARY=<library> -DSOURCE=<repository>
#         -DABSENT=<regex of what this MPI does not let the library intercept> -P functions.cmake
# With -DWRITE=ON and -DSOURCE alone it writes the page. Without LIBRARY and NM it compares the list with mpi.h and the page.
cmake_minimum_required(VERSION 3.25)
set(list "${SOURCE}/runtime/interpose/functions.txt")
set(page "${SOURCE}/docs/functions.md")

# Classes, and of each what is said of it, what shows it, and its functions.
file(STRINGS "${list}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^\\[(.*)\\] (intercepted|native)$")
    set(title "${CMAKE_MATCH_1}")
    set(kind ${CMAKE_MATCH_2})
    string(MAKE_C_IDENTIFIER "${title}" class)
    list(APPEND classes ${class})
    set(title_${class} "${title}")
    set(kind_${class} ${kind})
  elseif(line MATCHES "^users (carried|lent): (.*)$")
    set(becomes_${class} ${CMAKE_MATCH_1})
    set(conditions_${class} "${CMAKE_MATCH_2}")
  elseif(line MATCHES "^shown by ")
    string(REGEX REPLACE "^shown by " "" shown "${line}")
    list(APPEND shown_${class} "${shown}")
  elseif(line MATCHES "^  ")
    string(REGEX MATCHALL "MPI[A-Za-z0-9_]+" functions "${line}")
    list(APPEND functions_${class} ${functions})
    list(APPEND ${kind} ${functions})
  elseif(line MATCHES "^[^#]")
    string(APPEND text_${class} "${line} ")
  endif()
endforeach()

# The page.
set(text "<!-- Made of runtime/interpose/functions.txt by: cmake -DWRITE=ON -DSOURCE=. -P tests/interpose/functions.cmake -->
# Functions

In a phase, and in transparent mode, each function of `mpi.h` is *carried*, *lent* or *native* ([glossary](glossary.md)).
Outside of phases all are native, and receives take what was sent in a phase. A function stands for its form with large
counts as well.

| in a phase | condition | functions |
|---|---|---|
")
foreach(class IN LISTS classes)
  if(DEFINED becomes_${class})
    list(SORT functions_${class})
    list(JOIN functions_${class} ", " names)
    string(APPEND text "| ${becomes_${class}} | ${conditions_${class}} | ${names} |\n")
  endif()
endforeach()
string(APPEND text "
All other functions of `mpi.h` are native.
")
if(WRITE)
  file(WRITE "${page}" "${text}")
  return()
endif()
set(wrong "")
file(READ "${page}" written)
if(NOT written STREQUAL text)
  string(APPEND wrong "${page} is not what ${list} makes; write it by cmake -DWRITE=ON -DSOURCE=${SOURCE} -P ${CMAKE_CURRENT_LIST_FILE}\n")
endif()

# What is said to be shown is shown.
foreach(class IN LISTS classes)
  foreach(shown IN LISTS shown_${class})
    string(REGEX MATCH "^([^:]*): (.*)$" matched "${shown}")
    set(file "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    file(READ "${SOURCE}/${file}" test)
    string(FIND "${test}" "TEST_CASE(\"${name}\")" found)
    if(found EQUAL -1)
      string(APPEND wrong "${file} has no test case \"${name}\"\n")
    endif()
  endforeach()
endforeach()

# The functions that mpi.h declares: each has a PMPI form.
list(TRANSFORM INCLUDES PREPEND "-I")
set(probe "${CMAKE_CURRENT_BINARY_DIR}/mpi_h.c")
file(WRITE "${probe}" "#include <mpi.h>\n")
execute_process(COMMAND "${COMPILER}" -E -P ${INCLUDES} "${probe}" OUTPUT_VARIABLE declarations COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "PMPIX?_[A-Za-z0-9_]+[ \n]*\\(" declared "${declarations}")
list(TRANSFORM declared REPLACE "^P(MPI[A-Za-z0-9_]+).*$" "\\1")
list(REMOVE_DUPLICATES declared)

# The library's.
if(LIBRARY)
  execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE "[@ ].*" "")
endif()

foreach(function IN LISTS declared)
  string(REGEX REPLACE "_c$" "" name "${function}")
  if(name IN_LIST intercepted)
    if(LIBRARY AND NOT function IN_LIST symbols AND NOT (ABSENT AND function MATCHES "${ABSENT}"))
      string(APPEND wrong "${function} is intercepted by ${list}, but not by the library\n")
    endif()
  elseif(NOT name IN_LIST native)
    string(APPEND wrong "${function} is new. If it receives, probes, completes, starts or cancels what may be announced, intercept it "
                        "in runtime/interpose; otherwise show by a test why it cannot. Then add it to a class of ${list}\n")
  elseif(function IN_LIST symbols)
    string(APPEND wrong "${function} is native by ${list}, but the library intercepts it\n")
  endif()
endforeach()
set(all ${intercepted} ${native})
set(once ${all})
list(REMOVE_DUPLICATES once)
if(NOT once STREQUAL all)
  string(APPEND wrong "${list} has a function twice\n")
endif()
if(wrong)
  message(FATAL_ERROR "${wrong}")
endif()
list(LENGTH declared count)
message(STATUS "${count} functions, all of them in classes")
