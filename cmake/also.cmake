# The library for other MPIs than that of this build, for `mpi_helper run` to choose from: built from the same sources, and installed
# in folders of their own below lib/mpi_helper/.
set(MPI_HELPER_ALSO "" CACHE STRING
    "Build and install the library for these MPIs as well: a list of suffixes of compiler wrappers, such as .openmpi, or abi")

include(ExternalProject)
foreach(mpi IN LISTS MPI_HELPER_ALSO)
  string(REGEX REPLACE "^[.]" "" name "${mpi}")
  set(choice "-DMPI_EXECUTABLE_SUFFIX=${mpi}")
  set(ending "")
  if(mpi STREQUAL "abi")
    set(choice -DMPI_HELPER_ABI=ON)
    set(ending _abi)
  endif()
  set(folder "${PROJECT_BINARY_DIR}/also/${name}")
  set(library "${folder}/runtime/libmpi_helper${ending}.so.${PROJECT_VERSION}")
  ExternalProject_Add(mpi_helper_for_${name} SOURCE_DIR "${PROJECT_SOURCE_DIR}" BINARY_DIR "${folder}" PREFIX "${folder}/project"
                      CMAKE_ARGS ${choice} -DMPI_HELPER_DEVELOPER=OFF "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
                                 "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
                                 "-DCMAKE_UNITY_BUILD=${CMAKE_UNITY_BUILD}"
                      BUILD_COMMAND "${CMAKE_COMMAND}" --build . --target mpi_helper_shared mpi_helper_finds
                      INSTALL_COMMAND "" BUILD_ALWAYS ON USES_TERMINAL_BUILD ON)
  install(PROGRAMS "${library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/mpi_helper/${name}"
          RENAME "libmpi_helper${ending}.so.${PROJECT_VERSION_MAJOR}" COMPONENT runtime)
  install(PROGRAMS "${folder}/runtime/info/info" DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/mpi_helper/${name}" COMPONENT runtime)
  strip_installed(runtime "${CMAKE_INSTALL_LIBDIR}/mpi_helper/${name}/libmpi_helper${ending}.so.${PROJECT_VERSION_MAJOR}"
                          "${CMAKE_INSTALL_LIBEXECDIR}/mpi_helper/${name}/info")
endforeach()
