# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/run --report; bench/run sources it, with the repository root as the working directory.

# report_step FILE COMMAND... - runs the command, in which RESULT stands for the file, unless its result exists already. Without
# RESULT, the output of the command is the result.
report_step() { report_run measured "$@"; }

# report_model FILE COMMAND... - does the same for a command that only computes.
report_model() { report_run computed "$@"; }

# report_run KIND FILE COMMAND...
report_run() {
  local kind=$1 result=$report_folder/$2 base=$report_folder/${2%.*} begin=$SECONDS head command look=
  shift 2
  command=${*//RESULT/$result}
  report_count=$((report_count + 1))
  printf -v head '[%2d/%d] %-10s' $report_count $report_total "${base##*/}"
  if [[ -s $result && -f $base.command && $(head -n 1 "$base.command") == "$command" ]]; then
    echo "$head is there already"
    return
  fi
  rm -f "$result"
  echo "$command" >"$base.command"
  if [[ $kind == measured ]]; then look=$(origin_look); fi
  if "${@//RESULT/$result.part}" </dev/null 2>&1 | report_watch "$head" >"$base.log"; then
    if [[ $* != *RESULT* ]]; then cp "$base.log" "$result.part"; fi
    "origin_of_$kind" "$look" >>"$base.command"
    mv "$result.part" "$result"
    echo "$head $((SECONDS - begin)) s"
  else
    echo "$head FAILED: see $base.log"
    report_failed=1
  fi
}

# report_watch HEAD - copies its input to its output, and shows the last line on a terminal.
report_watch() {
  local line
  while IFS= read -r line; do
    echo "$line"
    if [[ -t 2 ]]; then printf '\r\033[K%s %.60s' "$1" "$line" >&2; fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# report QUICK FRESH RANKS MPIEXEC - measures the missing results, one after the other. QUICK and FRESH are true or false. Makes the page,
# tables and figures from all results, including those of other commands. Fails if a step has failed.
report() {
  local quick=$1 fresh=$2 ranks=$3 mpiexec=$4 bench=build/release/bench tables=docs oversubscribed=(4 8 16 32) enrolments=(2 8 32)
  local quickly= pack=64KiB,512KiB,4MiB,16MiB memory=2048,4096,8192,16384,32768,65536,131072,262144,524288,1048576 setting many
  origin_begin "$mpiexec" $bench
  trap 'echo "Interrupted; the same command goes on"; exit 130' INT # mpiexec handles Ctrl-C itself; without the trap the next step would begin
  report_folder=results/report report_count=0 report_failed=0
  if $fresh; then rm -rf "$report_folder"; fi
  mkdir -p "$report_folder"
  if $quick; then
    oversubscribed=(4) enrolments=(2 8) memory=2048,16384,131072 tables=results/docs quickly=--quick
    mkdir -p $tables
    cp docs/*.md $tables
  fi
  # or LONG QUICK - prints the arguments of a step
  or() { if $quick; then echo "$2"; else echo "$1"; fi; }
  on() { echo "$mpiexec" -n "$1"; }
  report_total=$((31 + ${#oversubscribed[@]} + ${#enrolments[@]} + $(bench/helpers/measure --settings | wc -w)))
  report_step machine.txt $(on $ranks) build/release/runtime/launcher/mpi_helper info
  report_step throughput.json $(on $ranks) $bench/throughput $(or "--budget 120" "--max 8MiB --budget 30") --json RESULT
  report_step alloc_mem.json $(on $ranks) $bench/throughput --operations allreduce --memory alloc_mem --teams 1 --min 4KiB \
    $(or "--budget 30" "--max 8MiB --budget 8") --json RESULT
  for many in "${oversubscribed[@]}"; do
    report_step "oversubscribed-$many.json" $(on $many) $bench/throughput --operations allreduce --teams 1 --sizes 8,1MiB --budget 20 \
      --json RESULT
  done
  report_step collectives.json $(on $ranks) $bench/throughput --operations bcast,reduce,reduce-scatter,gather,scatter,allgather,alltoall \
    --teams 1 --min 8KiB $(or "--max 16MiB --budget 90" "--max 1MiB --budget 15") --json RESULT
  report_step overlap.json $(on $ranks) $bench/overlap --teams 1 \
    $(or "--sizes 64KiB,256KiB,1MiB,8MiB" "--sizes 64KiB,1MiB --repetitions 3") --json RESULT
  report_step first_calls.json $bench/first_calls --ranks "$ranks" $(or "" "--sizes 8,1MiB --runs 3") --json RESULT
  report_step transfers.json $(on 2) $bench/transfers --sizes 64KiB,512KiB,4MiB --teams 1 --budget $(or 90 30) --json RESULT
  # At 16 MiB, faces of cubes would need gigabytes of memory.
  report_step pack.json $(on 1) $bench/helpers --functions MPI_Pack,MPI_Unpack --sizes $pack --budget $(or 60 12) --json RESULT
  report_step idle_threads.json bench/idle/measure "$mpiexec" build/release RESULT $quickly
  report_step graph.json $(on 2) $bench/throughput \
    $(or "${graph[*]}" "--operations allreduce-ints --teams 1 --sizes 64KiB,1MiB --budget 5") --json RESULT
  for setting in $(bench/helpers/measure --settings) graph messages groups pinned; do
    report_step "helpers-$setting.json" bench/helpers/measure "$setting" "$mpiexec" $bench/helpers RESULT $quickly
  done
  for many in 2 4; do # threads
    report_step "mcmc_emulated-$many.json" bench/mcmc/emulated "$many" "$mpiexec" $bench/mcmc RESULT $(or 200 20)
  done
  report_model placement.json $bench/placements --json RESULT
  report_step costs.json $bench/costs --json RESULT
  report_step creation.json $(or "$(on 32)" "$(on 8)") $bench/creation --repetitions $(or 3 1) --json RESULT
  report_step creation-2.json $(on 2) $bench/creation --repetitions 25 --json RESULT
  report_model creation_model.json $bench/creation_model $(or "" "--parent 1024") --json RESULT
  report_step mcmc.json $(on 32) $bench/mcmc $(or "" "--milliseconds 20") --json RESULT
  for many in 2 4 8; do # ranks that compute, with a thread each
    report_step "mcmc_threads-$many.json" $(on $many) $bench/mcmc --threads 1 --group 1 --milliseconds $((80 / many)) \
      --intervals 1,16 --repetitions $(or 5 1) --json RESULT
  done
  report_model mcmc_model.json $bench/mcmc_model $(or "" "--processes 1024") --json RESULT
  report_step groups.json $(on $ranks) $bench/groups $(or "" "--repetitions 2 --max 1MiB") --json RESULT
  report_step groups-many.json $(or "$(on 16)" "$(on 4)") $bench/groups --creation-alone --repetitions $(or 5 1) --json RESULT
  for many in "${enrolments[@]}"; do
    report_step "enrolments-$many.json" $(on $many) $bench/enrolments --json RESULT
  done
  report_model trees.json $bench/trees --schemes centralised,balance,hash,hash-child,hash-leaf --list-costs 0,0.1,0.25,0.5,1 \
    $(or "" "--processes 2048,8192,32768") --json RESULT
  report_model nodes.json $bench/nodes --json RESULT
  report_model trees_memory.json $bench/trees --schemes centralised,balance,balance-child,hash,hash-child,hash-leaf \
    --fractions 0.3 --processes "$memory" --json RESULT
  bench/report/report.py "$report_folder" results/{peers,limits,programs,hosts,busy_neighbour} --page results/report.html --tables $tables
  echo "Written: results/report.html, and the tables and figures of $tables/"
  return $report_failed
}
