# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# The common part of the commands for Debian's suites; they source it.

# name_of SUITE - prints the name of the suite on Debian's servers
name_of() {
  case $1 in
  12) echo bookworm ;;
  13) echo trixie ;;
  *) echo "$1" ;;
  esac
}

# Prints the package source of this machine.
package_source() {
  apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
    sed -n 's/ Debian Debian$//p' | head -n 1
}

# apt_of FOLDER SUITE ARCHITECTURE - sets the array `apt` to an apt-get that uses the packages of this suite and architecture, and ignores
# what is installed here. It keeps its files in FOLDER.
apt_of() {
  mkdir -p "$1"/{lists/partial,archives/partial}
  printf 'deb %s %s main\n' "$(package_source)" "$(name_of "$2")" >"$1/sources.list"
  apt=(apt-get -qq -o Dir::Etc::sourcelist="$1/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$1/lists"
    -o Dir::State::status=/dev/null -o Dir::Cache::archives="$1/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Architecture="$3" -o APT::Architectures="$3" -o APT::Sandbox::User=root)
}
