#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# module.sh MODULECMD PREFIX COMPILER MPIEXEC PROGRAM - loads the module of the library in PREFIX. Then the program compiles with pkg-config
# and runs, and so does the library's program, without further settings. Unloading restores everything.
set -euo pipefail
modulecmd=$1 prefix=$2 compiler=$3 mpiexec=$4 program=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LD_LIBRARY_PATH PKG_CONFIG_PATH
module() { eval "$("$modulecmd" bash "$@")"; }
# A path with a space cannot be in MODULEPATH; and the tree must work after it has been moved.
cp -r "$prefix" "$folder/moved"

before=$PATH
module use "$folder/moved/share/modulefiles"
module load mpi_helper
IFS=' ' read -ra flags <<<"$(pkg-config --cflags --libs mpi_helper)"
"$compiler" "$program" -o "$folder/program" "${flags[@]}"
"$mpiexec" -n 2 "$folder/program"
mpi_helper info >"$folder/info"
grep -q MPI_HELPER_THREADS "$folder/info"
module unload mpi_helper
[[ $PATH == "$before" && -z ${LD_LIBRARY_PATH-}${PKG_CONFIG_PATH-} ]] || { echo "Something is left behind"; exit 1; }
