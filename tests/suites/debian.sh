# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# What the commands share that have to do with Debian's suites; they source it.

# name_of SUITE - what Debian's servers call it
name_of() {
  case $1 in
  12) echo bookworm ;;
  13) echo trixie ;;
  *) echo "$1" ;;
  esac
}

# Where this machine has Debian's packages from.
package_source() {
  apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
    sed -n 's/ Debian Debian$//p' | head -n 1
}
