# What `cmake --install` lays down: the libraries, the programs, the headers, the CMake package and the pkg-config file. The tree can be
# moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(mpi_helper_shared PROPERTIES EXPORT_NAME mpi_helper)
install(TARGETS mpi_helper_shared EXPORT mpi_helper_targets
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS mpi_helper_launcher COMPONENT runtime)
install(TARGETS mpi_helper_finds DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/mpi_helper" COMPONENT runtime)
if(TARGET mpi_helper_pages)
  set(pages "${PROJECT_BINARY_DIR}/runtime/launcher")
  install(FILES "${pages}/mpi_helper.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)
  install(FILES "${pages}/mpi_helper-settings.7" DESTINATION "${CMAKE_INSTALL_MANDIR}/man7" COMPONENT runtime)
  install(FILES "${pages}/completion" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME mpi_helper COMPONENT runtime)
endif()
# strip_installed(COMPONENT FILE...) - takes the debug information out of what was installed, which is four fifths of it. The build
# folder keeps it, and function names stay for profilers and debuggers.
function(strip_installed component)
  if(NOT CMAKE_STRIP OR MPI_HELPER_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Debug)
    return()
  endif()
  foreach(file IN LISTS ARGN)
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\"
                                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  endforeach()
endfunction()
strip_installed(runtime "${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:mpi_helper_shared>"
                        "${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:mpi_helper_launcher>"
                        "${CMAKE_INSTALL_LIBEXECDIR}/mpi_helper/$<TARGET_FILE_NAME:mpi_helper_finds>")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC COMPONENT runtime)

# The rest is for those who build programs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" TYPE DOC FILES_MATCHING PATTERN "*.[ch]" PATTERN "README.md" PATTERN "Makefile")
if(MPI_HELPER_ABI) # whose mpi.h no package tells
  return()
endif()
install(TARGETS mpi_helper_static EXPORT mpi_helper_targets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
strip_installed(dev "${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:mpi_helper_static>")
if(MPI_HELPER_FORTRAN)
  # Beside the headers, where every consumer looks; other compilers than this one need modules of their own, made from the
  # sources there.
  install(TARGETS mpi_helper_fortran EXPORT mpi_helper_fortran_targets
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/modules/" TYPE INCLUDE)
endif()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/mpi_helper")
install(EXPORT mpi_helper_targets NAMESPACE mpi_helper:: DESTINATION "${package_folder}")
if(MPI_HELPER_FORTRAN)
  install(EXPORT mpi_helper_fortran_targets NAMESPACE mpi_helper:: DESTINATION "${package_folder}")
endif()
if(MPI_HELPER_MPI_IS_MPICH)
  set(MPI_HELPER_MPI_NAME MPICH)
  set(MPI_HELPER_MPI_MACRO MPICH_NUMVERSION)
  set(MPI_HELPER_MPI_PKGCONFIG mpich)
  set(MPI_HELPER_MPI_PACKAGE libmpich-dev)
else()
  set(MPI_HELPER_MPI_NAME "Open MPI")
  set(MPI_HELPER_MPI_MACRO OPEN_MPI)
  set(MPI_HELPER_MPI_PKGCONFIG ompi-c)
  set(MPI_HELPER_MPI_PACKAGE libopenmpi-dev)
endif()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/mpi_helper-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/mpi_helper-config.cmake" INSTALL_DESTINATION "${package_folder}"
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mpi_helper-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/mpi_helper-config.cmake" "${PROJECT_BINARY_DIR}/mpi_helper-config-version.cmake"
        DESTINATION "${package_folder}")

# Paths in the .pc file start at its own folder, as the prefix may be chosen as late as `cmake --install --prefix`.
set(pkgconfig_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
foreach(folder PREFIX FULL_LIBDIR FULL_INCLUDEDIR)
  file(RELATIVE_PATH MPI_HELPER_PC_${folder} "${pkgconfig_folder}" "${CMAKE_INSTALL_${folder}}")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/mpi_helper.pc.in" "${PROJECT_BINARY_DIR}/mpi_helper.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mpi_helper.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# So do those of the module file.
set(module_folder "${CMAKE_INSTALL_FULL_DATADIR}/modulefiles/mpi_helper")
file(RELATIVE_PATH MPI_HELPER_MODULE_PREFIX "${module_folder}" "${CMAKE_INSTALL_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/modulefile.in" "${PROJECT_BINARY_DIR}/modulefile" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/modulefile" DESTINATION "${CMAKE_INSTALL_DATADIR}/modulefiles/mpi_helper"
        RENAME "${PROJECT_VERSION}")
