# Packages, by cpack: the shared library with its program, and what a developer needs. Debian's, and RPMs where rpmbuild is and
# can work: it allows no spaces in paths.
set(CPACK_GENERATOR DEB)
find_program(RPMBUILD rpmbuild)
mark_as_advanced(RPMBUILD)
if(RPMBUILD AND NOT PROJECT_BINARY_DIR MATCHES " ")
  list(APPEND CPACK_GENERATOR RPM)
endif()
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_PACKAGE_CONTACT "The MPI Helper Teams developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")

set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "libmpi-helper${PROJECT_VERSION_MAJOR}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmpi-helper-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The static library needs hwloc of whoever links it.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION}), ${MPI_HELPER_MPI_PACKAGE}, libhwloc-dev")

# What an RPM needs of libraries rpmbuild finds by itself.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_RUNTIME_PACKAGE_NAME mpi-helper)
set(CPACK_RPM_DEV_PACKAGE_NAME mpi-helper-devel)
set(CPACK_RPM_DEV_PACKAGE_REQUIRES "${CPACK_RPM_RUNTIME_PACKAGE_NAME} = ${PROJECT_VERSION}, hwloc-devel")
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none")
# Folders that are the system's.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man7
    /usr/share/bash-completion /usr/share/bash-completion/completions /usr/libexec /usr/lib/pkgconfig /usr/lib/cmake
    "/usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/usr/${CMAKE_INSTALL_LIBDIR}/cmake" "/usr/${CMAKE_INSTALL_LIBDIR}")
include(CPack)
