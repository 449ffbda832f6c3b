# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi4py's tests. Modules run separately, so that a hang concerns only one of them.

repository=https://github.com/mpi4py/mpi4py
revision=3.1.4 # for the system's Cython

build_suite() {
  /usr/bin/python3 setup.py build --mpicc=mpicc.mpich
}

run_suite() {
  local test module
  for test in "$work"/source/test/test_*.py; do
    module=$(basename -- "$test" .py)
    if [[ $module == test_spawn || $module == test_dynproc ]]; then continue; fi # this MPICH can neither
    run_part "$module" 2 /usr/bin/python3 "$work/source/test/runtests.py" --path "$(echo "$work"/source/build/lib.*)" \
      --no-builddir --no-numpy --verbose --include "^$module\$"
  done
}

# A test has passed if it has passed at both ranks.
results() {
  cat "$work/logs/$mode"/*.[01] | awk '
    match($0, /^test[A-Za-z0-9_]+ \([^)]*\)/) { name = substr($0, 1, RLENGTH) }
    /(^|[. ])ok$/ && name { passed[name]++; name = "" }
    /(^|[. ])(FAIL|ERROR)$/ && name { print "not ok " name; name = "" }
    END { for (name in passed) print (passed[name] > 1 ? "ok " : "not ok ") name }'
}
