# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# The second line of the .command of a result, which stands above its table: date, machine and commit. bench/run sources this file,
# with the repository root as the working directory.

# origin_begin MPIEXEC BENCH - call it once, after the programs have been built in the folder BENCH.
origin_begin() {
  origin_mpiexec=$1
  origin_bench=$2
  origin_machine=$(origin_name_machine)
  origin_commit=$(origin_name_commit)
}

# origin_of_measured LOOK - prints the origin of a measurement that started after that look at the caches.
origin_of_measured() {
  echo "$(date +%F), $origin_machine, $(origin_name_caches $1 $(origin_look)), $origin_commit"
}

# origin_of_computed - prints the origin of a result of a model, which any machine could compute.
origin_of_computed() { echo "$(date +%F), computed, $origin_commit"; }

# origin_look - prints how often two cores shared a cache, and how often they did not. On virtual machines this changes within seconds, and
# measured times change with it.
origin_look() {
  "$origin_mpiexec" -n 2 "$origin_bench/caches" 2>/dev/null |
    sed -n 's/.*near: \([0-9]*\) samples.*far: \([0-9]*\) samples.*/\1 \2/p' || true
}

# origin_name_caches NEAR FAR NEAR FAR - describes the looks before and after the measurement, if there were any.
origin_name_caches() {
  if (($# < 4)); then
    echo "caches not looked at"
    return
  fi
  local near=$(($1 + $3)) far=$(($2 + $4))
  echo "processors that share a cache in $((100 * near / (near + far))) % of $((near + far)) looks"
}

# origin_name_machine - prints the processor and the MPIs.
origin_name_machine() {
  local processor mpich open_mpi
  processor=$(sed -n '/^model name/{s/[^:]*: //p;q}' /proc/cpuinfo)
  mpich=$("$origin_mpiexec" --version | sed -n 's/^ *Version: */, MPICH /p')
  open_mpi=$(mpiexec.openmpi --version 2>/dev/null | sed -n '1s/.* /, Open MPI /p' || true)
  echo "${processor:-unknown processor}, $(nproc) processing units$mpich$open_mpi"
}

# origin_name_commit - prints the commit of the tree. Changes to pages do not count.
origin_name_commit() {
  local commit
  if ! commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    echo "no commit"
    return
  fi
  if [[ -n $(git status --porcelain -- . ':!docs' ':!*.md') ]]; then commit+=" and changes"; fi
  echo "commit $commit"
}
