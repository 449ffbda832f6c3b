# Reads functions.txt for the scripts that include this file: generate.cmake and page.cmake here, functions.cmake and data.cmake
# in tests/interpose. If COMPILER, a C compiler, is set, it also reads what mpi.h declares of these functions. INCLUDES are then
# the folders of mpi.h, and SCRATCH is a folder to write to.
#
# It sets, where C is a class and F a function:
#   classes, title_C, kind_C, becomes_C, conditions_C, text_C, shown_C, functions_C   what the list says of a class
#   intercepted, native                        the functions of each kind
#   when_F, words_F, entry_F, file_F           the columns of an intercepted function, and the file that its entry is for
#   declared                                   the functions that mpi.h declares, from here on with forms for large counts
#   parameters_F                               their parameters, with <: and :> for brackets
#   forms, function_F, made_of_F               those that the library intercepts with this mpi.h: the function in the list that each is
#                                              a form of, and what its entry is made of
cmake_minimum_required(VERSION 3.25)

if(NOT LIST)
  set(LIST "${CMAKE_CURRENT_LIST_DIR}/functions.txt")
endif()
set(wrong_lines "")
foreach(variable classes intercepted native file)
  set(${variable} "")
endforeach()
file(STRINGS "${LIST}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^\\[(.*)\\] (intercepted|native)$")
    set(title "${CMAKE_MATCH_1}")
    set(kind ${CMAKE_MATCH_2})
    string(MAKE_C_IDENTIFIER "${title}" class)
    list(APPEND classes ${class})
    set(title_${class} "${title}")
    set(kind_${class} ${kind})
    set(file "")
  elseif(line MATCHES "^users (carried|lent): (.*)$")
    set(becomes_${class} ${CMAKE_MATCH_1})
    set(conditions_${class} "${CMAKE_MATCH_2}")
  elseif(line MATCHES "^shown by (.*)$")
    list(APPEND shown_${class} "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^entries in ([a-z_]+)\\.cpp$")
    set(file ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  (MPI_[A-Za-z0-9_]+) *\\|([a-z_ ]*)\\| *(when ([A-Z0-9_]+) )?([^ ].*)$")
    set(function ${CMAKE_MATCH_1})
    set(when_${function} "${CMAKE_MATCH_4}")
    string(STRIP "${CMAKE_MATCH_5}" entry_${function})
    string(REGEX MATCHALL "[a-z_]+" words_${function} "${CMAKE_MATCH_2}")
    set(file_${function} "${file}")
    list(APPEND functions_${class} ${function})
    list(APPEND intercepted ${function})
    if(NOT kind STREQUAL "intercepted")
      string(APPEND wrong_lines "${LIST}: ${function} has an entry, but its class is ${kind}\n")
    elseif(NOT entry_${function} STREQUAL "own" AND NOT file)
      string(APPEND wrong_lines "${LIST}: no line \"entries in FILE.cpp\" stands before ${function}\n")
    endif()
  elseif(line MATCHES "^  " AND kind STREQUAL "native" AND NOT line MATCHES "\\|")
    string(REGEX MATCHALL "[A-Za-z0-9_]+" functions "${line}")
    list(APPEND functions_${class} ${functions})
    list(APPEND native ${functions})
  elseif(line MATCHES "^  ")
    string(APPEND wrong_lines "${LIST}: not a line of an intercepted function: ${line}\n")
  elseif(line MATCHES "^[^#]")
    string(APPEND text_${class} "${line} ")
  endif()
endforeach()
set(all ${intercepted} ${native})
set(once ${all})
list(REMOVE_DUPLICATES once)
if(NOT once STREQUAL all)
  string(APPEND wrong_lines "${LIST} has a function twice\n")
endif()
if(wrong_lines)
  message(FATAL_ERROR "${wrong_lines}")
endif()
if(NOT COMPILER)
  return()
endif()

# The functions that mpi.h declares: each has a PMPI form. `true` lists the facts of this MPI that `when` may name.
set(probe "${SCRATCH}/mpi_h.c")
file(CONFIGURE OUTPUT "${probe}" CONTENT [[
#include <mpi.h>
#if MPI_VERSION >= 4
is_true "MPI_4"
#endif
#ifdef MPICH_NUMVERSION
is_true "MPICH"
#if MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000
is_true "PARTITIONED" /* as native/quirks.hpp says */
#endif
#endif
]])
list(TRANSFORM INCLUDES PREPEND "-I")
execute_process(COMMAND "${COMPILER}" -E -P ${INCLUDES} "${probe}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "is_true \"[A-Z0-9_]+\"" true "${text}")
list(TRANSFORM true REPLACE "is_true |\"" "")
string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
string(REPLACE ";" " " text "${text}")
string(REPLACE "[" "<:" text "${text}")
string(REPLACE "]" ":>" text "${text}")
string(REGEX MATCHALL "PMPIX?_[A-Za-z0-9_]+ ?\\(" declared "${text}")
list(TRANSFORM declared REPLACE "^P(MPI[A-Za-z0-9_]+).*$" "\\1")
list(REMOVE_DUPLICATES declared)
string(REGEX MATCHALL "int MPI_[A-Za-z0-9_]+ ?\\([^()]*\\)" prototypes "${text}") # whose parameters have names, unlike some of PMPI_X
foreach(prototype IN LISTS prototypes)
  string(REGEX MATCH "(MPI_[A-Za-z0-9_]+) ?\\( ?([^()]*)\\)" matched "${prototype}")
  set(parameters_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()

# The functions that the library intercepts. MPICH 5's mpi.h of the standard ABI declares large-count forms for partitioned requests, whose
# usual form has large counts already.
set(forms "")
foreach(function IN LISTS intercepted)
  set(entry "${entry_${function}}")
  if(NOT when_${function} OR when_${function} IN_LIST true)
    string(REGEX REPLACE " otherwise .*$" "" entry "${entry}")
  elseif(entry MATCHES " otherwise (.*)$")
    set(entry "${CMAKE_MATCH_1}")
  else()
    continue()
  endif()
  foreach(suffix IN ITEMS "" _c)
    set(form ${function}${suffix})
    if(NOT form IN_LIST declared OR (suffix AND "partitioned" IN_LIST words_${function}))
      continue()
    endif()
    string(REGEX REPLACE "(PMPI_[A-Za-z0-9_]+)" "\\1${suffix}" made_of_${form} "${entry}")
    string(REGEX MATCHALL "PMPI_[A-Za-z0-9_]+" needed "${made_of_${form}}")
    list(TRANSFORM needed REPLACE "^P" "")
    list(REMOVE_ITEM needed ${declared})
    if(NOT needed)
      list(APPEND forms ${form})
      set(function_${form} ${function})
    endif()
  endforeach()
endforeach()
