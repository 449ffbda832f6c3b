# Checks that one line in the list intercepts a function: in a copy of the list, MPI_File_get_type_extent, which is native, gets a line.
# Then it must be in everything that is generated from the list, with its large-count form if mpi.h has it. Without any line it must be
# reported as new, and an invalid line must be refused. Run by: cmake -DCOMPILER=<cc> -DINCLUDES=<folders of mpi.h> -DSOURCE=<repository>
# -DFOLDER=<where to write> -P one_line.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
file(READ "${SOURCE}/runtime/interpose/functions.txt" list)
string(REGEX REPLACE " MPI_File_get_type_extent([ \n])" "\\1" without "${list}")
if(without STREQUAL list)
  message(FATAL_ERROR "MPI_File_get_type_extent is not among the native functions")
endif()

# list_is(TEXT) - makes a copy of the list with this text
function(list_is text)
  file(WRITE "${FOLDER}/functions.txt" "${text}")
endfunction()

# run(SCRIPT ARGUMENTS...) - runs the script on the copy. Its output is in `said`, its exit status in `status`.
function(run script)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${COMPILER}" "-DINCLUDES=${INCLUDES}" "-DSOURCE=${SOURCE}" "-DFOLDER=${FOLDER}/made"
                          "-DLIST=${FOLDER}/functions.txt" ${ARGN} -P "${SOURCE}/${script}"
                  WORKING_DIRECTORY "${FOLDER}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  return(PROPAGATE status said)
endfunction()

# expect(FILE TEXT...) - fails unless the file contains these texts
function(expect file)
  file(READ "${FOLDER}/${file}" content)
  foreach(text IN LISTS ARGN)
    string(FIND "${content}" "${text}" found)
    if(found EQUAL -1)
      message(SEND_ERROR "${file} lacks: ${text}")
    endif()
  endforeach()
endfunction()

# The line.
string(REPLACE "\nentries in native.cpp\n" "\nentries in native.cpp\n  MPI_File_get_type_extent | sends measured_as_files | Entry<rescue>\n" with "${without}")
list_is("${with}")
run(runtime/interpose/generate.cmake)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
run(runtime/interpose/page.cmake "-DPAGE=${FOLDER}/functions.md")
foreach(suffix IN ITEMS "" _c)
  set(name MPI_File_get_type_extent${suffix})
  file(READ "${FOLDER}/made/forms.txt" forms)
  if(suffix AND NOT forms MATCHES "_c\n") # an MPI without large counts
    break()
  endif()
  expect(made/forms.txt "\n${name}\n")
  expect(made/listed.inc "listed<P${name}> = [] { Listed is; is.sends = true; return is; }()")
  expect(made/measured.inc "MEASURED(P${name}, files, none)")
  expect(made/native.inc "\nint ${name}(MPI_File fh, MPI_Datatype datatype, " "return Entry<P${name}, rescue>::call(fh, datatype, extent); }")
endforeach()
expect(functions.md ", MPI_File_get_type_extent, ")

# No line.
list_is("${without}")
run(tests/interpose/functions.cmake)
if(status EQUAL 0 OR NOT said MATCHES "MPI_File_get_type_extent is new.*add it to a class of")
  message(SEND_ERROR "It is not said that MPI_File_get_type_extent is new: ${said}")
endif()

# Invalid lines, and the messages about them.
foreach(case IN ITEMS "MPI_File_get_type_extent,not a line of an intercepted function" "MPI_File_get_type_extent | sends | rescue,has no entry that can be made"
                      "MPI_Send | sends | Entry<rescue>,has a function twice")
  string(REGEX MATCH "^(.*),(.*)$" matched "${case}")
  set(expected "${CMAKE_MATCH_2}")
  string(REPLACE "\nentries in native.cpp\n" "\nentries in native.cpp\n  ${CMAKE_MATCH_1}\n" wrong "${without}")
  list_is("${wrong}")
  run(runtime/interpose/generate.cmake)
  if(status EQUAL 0 OR NOT said MATCHES "${expected}")
    message(SEND_ERROR "It is not said that it ${expected}: ${said}")
  endif()
endforeach()
