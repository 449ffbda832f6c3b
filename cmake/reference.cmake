# Manual pages (man MPI_Helper_join) and an HTML reference, made of the header's comments where Doxygen is installed.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/reference")
set(DOXYGEN_PROJECT_NAME "MPI Helper Teams")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_OPTIMIZE_OUTPUT_FOR_C YES)
set(DOXYGEN_GENERATE_MAN YES)
set(DOXYGEN_MAN_LINKS YES) # a page for each function
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR YES)
doxygen_add_docs(mpi_helper_reference "${PROJECT_SOURCE_DIR}/include/mpi_helper.h" ALL COMMENT "Reference")

install(DIRECTORY "${DOXYGEN_OUTPUT_DIRECTORY}/man/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(DIRECTORY "${DOXYGEN_OUTPUT_DIRECTORY}/html" TYPE DOC)
