# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class MpiHelperTeams(CMakePackage):
    """Helper teams for MPI: idle threads of a process pack, reduce, copy and unpack the data of what
    another one communicates. Works with an unchanged MPICH or Open MPI."""

    license("BSD-3-Clause")

    # Without an address to download it from: `spack dev-build` builds what is in a folder.
    version("0.9.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("fmt")
    depends_on("hwloc@2.5:")
    depends_on("mpi")

    requires("^[virtuals=mpi] mpich@4:", "^[virtuals=mpi] openmpi@4:", policy="one_of")
    conflicts("%gcc@:11", msg="C++20 of g++ 12 is needed")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        return [
            self.define("MPI_HELPER_DEVELOPER", False),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            # Not Debian's names of MPICH's.
            self.define("MPI_EXECUTABLE_SUFFIX", ""),
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define("MPI_Fortran_COMPILER", mpi.mpifc),
        ]

    def setup_run_environment(self, env):
        # As the project's own module file does: LD_PRELOAD then needs no path, and programs linked by pkg-config
        # find the library.
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
