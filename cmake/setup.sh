# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# What the run scripts share; they source it with the repository root as the working directory.

# Debian's packages: group, package, a command that does in its stead (or -), what it is for.
setup_packages='
build  cmake               cmake         configures the build
build  ninja-build         ninja         runs the build
build  g++                 g++           compiles C and C++
build  gfortran            gfortran      compiles the Fortran tests
build  pkg-config          pkg-config    finds hwloc
build  mpich               mpiexec.mpich launches MPI programs
build  libmpich-dev        -             the MPI that the library extends
build  libhwloc-dev        -             tells the topology of the node
build  libcli11-dev        -             command lines of the programs
build  libfmt-dev          -             text output of programs and tests
build  nlohmann-json3-dev  -             JSON output of the benchmarks
tests  catch2              -             test framework
tests  doxygen             doxygen       makes the manual pages
tests  make                make          builds the installed examples, in a test
tests  file                file          tells CPack what it packs, in a test
tests  python3             python3       checks the language and the links of the pages, in tests
tests  codespell           codespell     looks for misspelt words in them
hosts  iproute2            tc            connects the two hosts that this machine plays in tests
hosts  util-linux          nsenter       makes them
slurm  slurmctld           slurmctld     plays the controller of such hosts, in tests; it pulls in munge, which systemd starts
slurm  slurmd              slurmd        starts processes on them
slurm  slurm-client        srun          asks for that
models spin                spin          looks at every state of the models of protocols, in tests
plot   python3-matplotlib  -             draws the figures of the benchmarks
plot   python3-jinja2      -             makes their page
others git                 git           gets the tests of others
others make                make          builds them
others python3-dev         -             builds the Python interface of MPI
others cython3             cython3       the same
others autoconf            autoconf      configures the mpi-test-suite
others automake            automake      the same
others gengetopt           gengetopt     makes its command line
packages rpm               rpmbuild      makes RPMs beside the Debian packages, in a test
packages environment-modules modulecmd   loads the module file, in a test
page   chromium            chromium      looks at the page of the report, and at the site, in tests
page   mkdocs              mkdocs        makes the site of the pages
suites debootstrap         debootstrap   makes systems of the suites of Debian, to test on
count  universal-ctags     ctags         finds the types that tests/structure/count.sh counts
ways   valgrind            valgrind      finds the functions on the way of a call, for tests/structure/count.sh --ways
other  openmpi-bin         mpiexec.openmpi launches the benchmarks that are built with Open MPI
other  libopenmpi-dev      mpicxx.openmpi builds them
programs bagel             BAGEL         a program that ./bench/run --programs measures
programs libhdf5-mpich-dev -             files of another one
clang  clang               clang++       compiles for the preset clang, and programs with OpenMP by LLVM, in tests
clang  libomp-dev          -             OpenMP of LLVM, for both
cross  g++-aarch64-linux-gnu aarch64-linux-gnu-g++ compiles for 64-bit ARM
arm    gfortran-aarch64-linux-gnu aarch64-linux-gnu-gfortran compiles Fortran for it
arm    qemu-user-static qemu-aarch64-static runs what they have compiled
tidy   clang-tidy-14       clang-tidy-14 looks for mistakes in the code
licences reuse           reuse         checks the licence of every file
format clang-format-14     clang-format-14 checks the layout of the code
cache  ccache              ccache        spares the next run of .ci/run what this one has compiled
'

# setup GROUP... - sees to it that the packages of these groups are there. Where they cannot be installed it says what
# is missing, and goes on as long as there is a build tool that can judge whether the rest is found in another way.
setup() {
  local installed group package command reason missing=()
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null || true)
  while read -r group package command reason; do
    if [[ -z $group || " $* " != *" $group "* || $'\n'$installed$'\n' == *$'\n'"ii $package"$'\n'* ]]; then continue; fi
    if command -v "$command" >/dev/null; then continue; fi
    echo "Missing package: $package ($reason)"
    missing+=("$package")
  done <<<"$setup_packages"

  if ((${#missing[@]} == 0)) || setup_install "${missing[@]}"; then return; fi
  {
    echo "These Debian packages are missing and cannot be installed from here: ${missing[*]}"
    echo "As an administrator: apt-get install ${missing[*]}"
  } >&2
  command -v cmake >/dev/null && command -v ninja >/dev/null
}

setup_install() {
  local as_root=()
  command -v apt-get >/dev/null || return
  if ((EUID != 0)); then as_root=(sudo); fi
  echo "Installing with apt-get; this may take minutes."
  "${as_root[@]}" apt-get -qq update # if this fails, the package lists at hand may do
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "$@" >/dev/null
}

# configure_preset PRESET - makes its build folder. A new one compiles several files of a folder as one, which saves a third of the
# time, unless a compiler cache does better. Options that are in the folder already stay.
configure_preset() {
  local options=()
  if [[ ! -e build/$1/CMakeCache.txt && -z ${CMAKE_CXX_COMPILER_LAUNCHER-} ]]; then options=(-DCMAKE_UNITY_BUILD=ON); fi
  cmake --preset "$1" --log-level=NOTICE "${options[@]}"
}

# build PRESET [TARGET...] - configures the preset and builds the targets, or all that the preset asks for.
build() {
  local preset=$1
  shift
  configure_preset "$preset" && cmake --build --preset "$preset" ${@:+--target "$@"}
}
