# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# When and where a result was made, and of what: the second line of its .command, which stands above its table. bench/run
# sources it, with the repository root as the working directory.

# origin_begin MPIEXEC BENCH - is called once, when what is to be measured has been built, in that folder.
origin_begin() {
  origin_mpiexec=$1
  origin_bench=$2
  origin_machine=$(origin_name_machine)
  origin_commit=$(origin_name_commit)
}

# origin_of_measured LOOK - of what was measured since that look at the caches.
origin_of_measured() {
  echo "$(date +%F), $origin_machine, $(origin_name_caches $1 $(origin_look)), $origin_commit"
}

# origin_of_computed - of what a model says, on whatever machine.
origin_of_computed() { echo "$(date +%F), computed, $origin_commit"; }

# origin_look - looks some times whether two processors share a cache, and says how often they did and how often they did not.
# On virtual machines that changes within seconds, and times change with it.
origin_look() {
  "$origin_mpiexec" -n 2 "$origin_bench/caches" 2>/dev/null |
    sed -n 's/.*near: \([0-9]*\) samples.*far: \([0-9]*\) samples.*/\1 \2/p' || true
}

# origin_name_caches NEAR FAR NEAR FAR - says in words what was seen before and after, if it was.
origin_name_caches() {
  if (($# < 4)); then
    echo "caches not looked at"
    return
  fi
  local near=$(($1 + $3)) far=$(($2 + $4))
  echo "processors that share a cache in $((100 * near / (near + far))) % of $((near + far)) looks"
}

# origin_name_machine - processor, and the MPIs.
origin_name_machine() {
  local processor mpich open_mpi
  processor=$(sed -n '/^model name/{s/[^:]*: //p;q}' /proc/cpuinfo)
  mpich=$("$origin_mpiexec" --version | sed -n 's/^ *Version: */, MPICH /p')
  open_mpi=$(mpiexec.openmpi --version 2>/dev/null | sed -n '1s/.* /, Open MPI /p' || true)
  echo "${processor:-unknown processor}, $(nproc) processing units$mpich$open_mpi"
}

# origin_name_commit - that of the tree. Changes of pages change nothing that is measured.
origin_name_commit() {
  local commit
  if ! commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    echo "no commit"
    return
  fi
  if [[ -n $(git status --porcelain -- . ':!docs' ':!*.md') ]]; then commit+=" and changes"; fi
  echo "commit $commit"
}
