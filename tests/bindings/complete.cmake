# Checks that every function and every constant of mpi_helper.h is in the Fortran modules, in the include file or among the symbols for
# mpif.h, and in the C++ header. Fortran procedures must have the arguments of C, by name and order, and IERROR. Run by: cmake
# -DINCLUDE=<folder of the headers> -DSYMBOLS=<list of the library's symbols> -P complete.cmake
set(not_in_cpp MPIX_Group_comm_create) # the form with an info replaces it, with the default MPI_INFO_NULL

file(READ "${INCLUDE}/mpi_helper.h" header)
string(REGEX MATCHALL "#define MPIX?_[A-Z_]+_(NULL|MAJOR|MINOR|PATCH)" constants "${header}")
list(TRANSFORM constants REPLACE "#define " "")
string(REGEX MATCHALL "\nint MPIX?_[A-Za-z_]+\\([^)]*\\)" functions "${header}")
list(TRANSFORM functions REPLACE "\nint |\n" "")
list(TRANSFORM functions REPLACE "[^(,]*[ *]([a-z_]+)([,)])" "\\1\\2") # arguments without their types
list(TRANSFORM functions REPLACE "\\)" ",ierror)")
list(SORT functions)
list(TRANSFORM functions REPLACE "\\(.*" "" OUTPUT_VARIABLE names)
list(LENGTH functions count)
if(count LESS 30 OR NOT constants)
  message(FATAL_ERROR "mpi_helper.h was not understood: ${functions} ${constants}")
endif()

# expect(WHERE HAS WANTS...) - fails unless HAS contains all of WANTS.
function(expect where has)
  list(REMOVE_ITEM ARGN ${has})
  if(ARGN)
    message(SEND_ERROR "${where} lacks ${ARGN}")
  endif()
endfunction()

foreach(module mpi_helper mpi_helper_f08)
  file(READ "${INCLUDE}/${module}.f90" text)
  string(REGEX MATCHALL "\n *subroutine [^)]*\\)\n" procedures "${text}") # a callback is followed by bind(C)
  list(TRANSFORM procedures REPLACE "\n *subroutine | |\n" "")
  list(SORT procedures)
  expect(${module}.f90 "${procedures}" ${functions})
  expect(mpi_helper.h "${functions}" ${procedures})
endforeach()

file(STRINGS "${INCLUDE}/mpi_helper_f08.f90" parameters REGEX "parameter ::")
list(TRANSFORM parameters REPLACE ".*parameter :: ([A-Z_]+) .*" "\\1")
expect(mpi_helper_f08.f90 "${parameters}" ${constants})
file(READ "${INCLUDE}/mpi_helper.fh" text) # included by the module mpi_helper
string(REGEX MATCHALL "MPIX?_[A-Z_]+ =" parameters "${text}")
list(TRANSFORM parameters REPLACE " =" "")
expect(mpi_helper.fh "${parameters}" ${constants})

file(STRINGS "${SYMBOLS}" symbols)
string(TOLOWER "${names}" procedures)
list(TRANSFORM procedures APPEND _)
expect("${SYMBOLS}" "${symbols}" ${procedures})

file(STRINGS "${INCLUDE}/mpi_helper.hpp" lines REGEX "^ *[^/* ]") # no comments
string(REGEX MATCHALL "MPIX?_[A-Za-z_]+" called "${lines}")
list(REMOVE_ITEM names ${not_in_cpp})
expect(mpi_helper.hpp "${called}" ${names} ${constants})

# All files have the same version number.
foreach(part MAJOR MINOR PATCH)
  foreach(file mpi_helper.h mpi_helper.fh mpi_helper_f08.f90)
    file(STRINGS "${INCLUDE}/${file}" line REGEX "VERSION_${part} (= )?[0-9]")
    string(REGEX MATCH "[0-9]+" number_in_${file} "${line}")
    if(NOT number_in_${file} STREQUAL number_in_mpi_helper.h OR number_in_${file} STREQUAL "")
      message(SEND_ERROR "${file}: MPIX_HELPER_VERSION_${part} is '${number_in_${file}}', not '${number_in_mpi_helper.h}'")
    endif()
  endforeach()
endforeach()
message("${count} functions")
