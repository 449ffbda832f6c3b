#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# tables.sh REPORT PAGES - makes REPORT put small results into a copy of PAGES, which is docs/. It checks that the tables of performance.md
# are as expected, each below its figure if it has one, and that everything else is unchanged; and that a page of results has the tables
# too. A page of docs/ that lacks a table, or has an unknown one, must be refused.
set -euo pipefail
report=$1 pages=$2
if ! /usr/bin/python3 -c "import jinja2, matplotlib"; then exit 77; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# result NAME - writes the JSON on standard input to the result NAME.
result() {
  cat >"$folder/$1.json"
  printf '%s\n%s\n' "measure $1" "2026-01-02, $1's machine" >"$folder/$1.command"
}

# variant NAME TEAM SECONDS
variant() { echo "{\"way\": \"$1\", \"team_size\": $2, \"speedup\": 2, \"seconds\": {\"median\": $3}}"; }

# point OPERATION BYTES VARIANT,VARIANT [RANKS]
point() { sed "s/{\"way\"/{\"operation\": \"$1\", \"bytes\": $2, \"ranks\": ${4-2}, \"way\"/g" <<<"$3"; }

natives=$(variant native 0 4e-6),$(variant "Open MPI" 0 3e-6)
slow=$natives,$(variant "team of 1" 1 6e-6),$(variant "team of 2" 2 1.5e-6)
fast=$(variant native 0 2e-3),$(variant "team of 1" 1 1e-3)
result throughput <<<"[$(point allreduce 8 "$slow")]"
result alloc_mem <<<"[$(point allreduce 2097152 "$fast")]"
result oversubscribed-8 <<<"[$(point allreduce 8 "$slow" 8)]"
result oversubscribed-16 <<<"[$(point allreduce 8 "$slow" 16)]"
result collectives <<<"[$(point gather 8 "$slow"), $(point reduce-scatter 8 "$slow")]"
newest=$(variant native 0 4e-6),$(variant "MPICH Version:      9.9,A=1,B=2" 0 3e-6),$(variant "team of 1" 1 6e-6)
result peers <<<"[$(point bcast 8 "$newest"), $(point gather 8 "$newest")]"
# moved TYPE BYTES MPICH OPEN_MPI TEAM_OF_1 TEAM_OF_2
moved() { point $1 $2 "$(variant MPICH 0 $3),$(variant "Open MPI" 0 $4),$(variant "team of 1" 1 $5),$(variant "team of 2" 2 $6)"; }
result transfers <<<"[$(moved a 1024 8e-6 9e-6 4e-6 2e-6), $(moved a 2048 8e-6 6e-6 4e-6 3e-6),
  $(moved b 1024 8e-6 9e-6 8e-6 1e-6), $(moved b 2048 8e-6 6e-6 6e-6 3e-6)]"
# way NAME THREADS SECONDS
way() { echo "{\"way\": \"$1\", \"threads\": $2, \"seconds\": {\"median\": $3}}"; }
# helped FUNCTION DATA ASKED BYTES RANKS SLOWER WAY,WAY
helped() {
  sed "s/{\"way\"/{\"function\": \"$1\", \"data\": \"$2\", \"asked_bytes\": $3, \"bytes\": $4, \"ranks\": $5, \"slower\": $6, \"way\"/g" <<<"$7"
}
# packed FUNCTION ASKED BYTES NATIVE ALONE TEAM
packed() { helped $1 vector-1 $2 $3 1 1 "$(way native 1 $4), $(way team 1 $5), $(way team 2 $6)"; }
result pack <<<"[$(packed MPI_Pack 1024 1000 1e-6 5e-7 25e-8), $(packed MPI_Pack 2048 2000 1e-6 1e-6 1e-6),
  $(packed MPI_Unpack 1024 1000 2e-6 1e-6 1e-6), $(packed MPI_Unpack 2048 2000 1e-6 1e-6 1e-6)]"
result costs <<'END'
[{"what": "A call", "unit": "ns", "p10": 1, "median": 2, "p90": 3.5, "limit": 3}]
END
result limits <<'END'
[{"bytes": 1024, "memory": "malloc", "crossing_bytes": 2048, "chunk_bytes": 512, "stores": "plain, streaming",
  "seconds pack": {"median": 1e-6}, "seconds reduce": {"median": 2e-6}, "seconds fetch": {"median": 1e-6},
  "seconds limit": {"median": 4e-6}, "seconds library": {"median": 5e-6}, "ratio": 1.25}]
END
# ran NAME RANKS THREADS HELPERS SECONDS SECONDS_IN_MPI
ran() {
  echo "{\"name\": \"$1\", \"ranks\": $2, \"threads\": $3, \"helpers\": \"$4\", \"total\": {\"median\": $5}, \"in_mpi\": {\"median\": $6}}"
}
result programs <<<"[$(ran a 2 1 "" 4 0.5), $(ran a 2 1 1 2 0.25), $(ran a 2 2 "" 6 5), $(ran a 2 2 openmp 5 4),
  $(ran b 8 1 "" 1 0.5), $(ran b 8 1 1 2 1.5), $(ran b 8 2 2 0.5 0)]"
# created PARENT GROUP SPLIT DIRECT
created() {
  echo "{\"parent\": $1, \"group\": $2, \"way\": \"MPI_Comm_split\", \"collective_over_parent\": true, \"seconds\": $3},
    {\"parent\": $1, \"group\": $2, \"way\": \"direct\", \"collective_over_parent\": false, \"seconds\": $4}"
}
result creation <<<"[$(created 2 1 1 1), $(created 4 1 5e-3 1e-6), $(created 4 2 6e-3 3e-3)]"
result creation-2 <<<"[$(created 2 1 4e-6 2e-6)]"
# made RANKS
made() {
  local what="\"what\": \"made and freed, all, us\", \"ranks\": $1"
  echo "{$what, \"way\": \"MPI_Comm_split\", \"median\": 30}, {$what, \"way\": \"balance, k 2\", \"median\": 1, \"ratio\": 30},
    {$what, \"way\": \"balance, k 4\", \"median\": 10, \"ratio\": 3}, {$what, \"way\": \"hash, k 4\", \"median\": 15, \"ratio\": 2},
    {$what, \"way\": \"centralised, k 4\", \"median\": 60, \"ratio\": 0.5}"
}
# reduced BYTES TEAM RATIO
reduced() {
  local what="\"what\": \"allreduce, us\", \"bytes\": $1, \"team\": $2"
  echo "{$what, \"way\": \"MPI_Allreduce\", \"median\": 3}, {$what, \"way\": \"MPIX_Sysgroup_allreduce\", \"median\": 1, \"ratio\": $3}"
}
# bytes RANKS GROUP COMMUNICATOR
bytes() { echo "{\"what\": \"bytes\", \"ranks\": $1, \"group\": $2, \"communicator\": $3}"; }
result groups <<<"[$(made 2), $(bytes 2 400.4 2000), $(reduced 65536 1 0.75), $(reduced 1048576 1 1), $(reduced 65536 2 0.5), $(reduced 1048576 2 1.5)]"
result groups-many <<<"[$(made 16), $(bytes 16 500 3000)]"
# computed RANKS SECONDS
computed() {
  echo "{\"processes\": $1, \"balancing\": \"none\", \"ideal_seconds\": 0.25, \"seconds\": $2},
    {\"processes\": $1, \"balancing\": \"collective 1\", \"ideal_seconds\": 0.25, \"seconds\": 0.5}"
}
result graph <<<"[$(point allreduce-ints 8 "$slow")]"
# by_teams WAY,WAY
by_teams() { echo "[$(helped f struct 1024 1000 2 20 "$1")]"; }
result helpers-graph < <(by_teams "$(way team 1 2e-6),$(way team 2 1e-6)")
result helpers-messages < <(by_teams "$(way team 1 4e-3),$(way team 2 3e-3)")
result helpers-groups < <(by_teams "$(way team 1 4e-3),$(way team 2 2e-3)")
result helpers-pinned < <(by_teams "$(way team 2 4e-6),$(way "team, compact" 2 2e-6)")
result placement <<'END'
{"nodes": [[0, 1], [2, 3]], "cores": [[0, 1], [2, 3]],
 "policies": [{"name": "compact", "places": [[0], [1]]}, {"name": "numa", "places": [[0, 1], [2, 3]]}]}
END
# by_threads BALANCING SECONDS
by_threads() { echo "{\"threads\": 2, \"balancing\": \"$1\", \"ideal_seconds\": 0.25, \"seconds\": $2}"; }
result mcmc_emulated-2 <<<"[$(by_threads none 1), $(by_threads "none teams" 0.5)]"
result mcmc_threads-2 <<<"[$(computed 2 1)]"
result mcmc_threads-8 <<<"[$(computed 8 2)]"
result mcmc_model <<'END'
[{"processes": 8, "balancing": "none", "ideal_seconds": 0.5, "seconds": 2,
  "regroupings": {"mean": 0, "deviation": 0, "least": 0, "most": 0}},
 {"processes": 16, "balancing": "collective 64", "ideal_seconds": 0.5, "seconds": 1,
  "regroupings": {"mean": 3.5, "deviation": 1, "least": 2, "most": 5}}]
END
# cell SCHEME SECONDS MESSAGES [PAPER_SECONDS PAPER_MESSAGES]
cell() {
  local paper=
  if (($# > 3)); then paper=", \"paper\": {\"seconds\": $4, \"messages\": $5}"; fi
  echo "{\"scheme\": \"$1\", \"fraction\": 0.3, \"processes\": 2048, \"seconds\": $2, \"messages\": $3$paper}"
}
# busy KIND SINCE UNTIL
busy() { echo "{\"process\": 0, \"kind\": \"$1\", \"since\": $2, \"until\": $3}"; }
hashes=$(cell hash 4e-6 30 5e-6 30),$(cell hash-child 5e-6 30),$(cell hash-leaf 6e-6 30)
balance=$(cell balance 12e-6 20 10e-6 25)
result trees <<<"{\"cells\": [$(cell centralised 8e-6 10), $balance, $hashes],
  \"list_costs\": [{\"cost\": 0.5, \"cells\": [$hashes, $balance]}],
  \"trace\": [$(busy report 2e-6 3e-6), $(busy relocation 3e-6 4e-6), $(busy report 4e-6 5e-6), $(busy "" 0 1e-6)]}"
# example PROGRAM POLICY WAY MILLISECONDS
example() { echo "{\"program\": \"$1\", \"elements\": 131072, \"policy\": \"$2\", \"way\": \"$3\", \"milliseconds\": [$4]}"; }
result idle_threads <<<"[$(example deposit passive before 5,20,3), $(example deposit passive hybrid 1,2,3), $(example columns active before 7),
  $(example columns passive before 8)]"
result hosts-2 <<<"[$(point gather 8 "$slow"), $(point reduce-scatter 8 "$slow")]"
result hosts-8 <<<"[$(point gather 8 "$slow" 8)]"
# waited OPERATION BYTES TEAM MICROSECONDS
waited() { echo "{\"operation\": \"$1\", \"bytes\": $2, \"team\": $3, \"pure\": $4, \"overlap\": 0.126}"; }
result overlap <<<"[$(waited a 1024 0 9), $(waited a 1024 1 4), $(waited a 1024 2 3), $(waited a 2048 0 10), $(waited a 2048 1 5),
  $(waited b 1024 0 1), $(waited b 1024 1 2), $(waited b 2048 0 3), $(waited b 2048 1 4)]"
# called TEAM FIRST NEXT_FOUR HUNDREDTH OVER_HUNDREDTH RATIO
called() {
  echo "{\"operation\": \"bcast\", \"bytes\": 1024, \"team\": $1, \"first\": $2, \"next_four\": $3, \"hundredth\": $4,
    \"over_hundredth\": $5, \"ratio\": $6}"
}
result first_calls <<<"[$(called 0 50 5 4 3.5 null), $(called 1 25 5 2 4.5 1.56)]"
result busy_neighbour <<<'[{"load": "1, nice 0", "what": "halo", "native": [2, 1, 4], "library": [1, 3, 2]}]'
# enrolled FRACTION SCHEME MESSAGES MICROSECONDS
enrolled() {
  echo "{\"ranks\": 8, \"fraction\": $1, \"scheme\": \"$2\", \"messages\": $3, \"model_messages\": $3, \"microseconds\": $4}"
}
result enrolments-8 <<<"[$(enrolled 0.5 hash 20 150.4), $(enrolled 0.5 balance 18 99), $(enrolled 1 hash 30 160), $(enrolled 1 balance 28 100)]"
# memory SCHEME PROCESSES MOST MEAN KEPT
memory() {
  echo "{\"scheme\": \"$1\", \"processes\": $2, \"most_state_bytes\": $3, \"mean_state_bytes\": $4, \"most_place_bytes\": $5}"
}
result trees_memory <<<"{\"cells\": [$(memory hash 16 300 200.4 70), $(memory balance 16 400 250 80),
  $(memory hash 32 300 201 70), $(memory balance 32 500 260 80)]}"
# on_nodes OPERATION BYTES ALGORITHM LIBRARY MPICH
on_nodes() {
  echo "{\"network\": \"fast\", \"nodes\": 1024, \"ranks\": 1, \"team\": 64, \"operation\": \"$1\", \"bytes\": $2,
    \"algorithm\": \"$3\", \"library\": {\"seconds\": $4}, \"mpich\": {\"seconds\": $5}}"
}
result nodes <<<"[$(on_nodes bcast 8 native 1e-6 1e-6), $(on_nodes bcast 1048576 ring 2e-6 3e-6), $(on_nodes scan 8 native 1e-6 1e-6),
  $(on_nodes scan 1048576 chain 2e-6 4e-6), $(on_nodes barrier 8 dissemination 1e-6 2e-6)]"

# pages FOLDER - makes a copy of the pages.
pages() {
  mkdir "$1"
  cp "$pages"/*.md "$1"
}
pages "$folder/docs"
"$report" "$folder" --tables "$folder/docs"

failed=0
page=performance.md
origins() { printf "2026-01-02, %s's machine<br>\n" ${1//,/ } | sed '$s/<br>$//'; }
# expect NAME RESULT[,RESULT] [TITLE] - standard input is the table that the page should have, after the origin of its results; TITLE is the
# title of its figure.
expect() {
  { origins "$2"; echo; if (($# > 2)); then printf '![%s](figures/%s.svg)\n\n' "$3" "$1"; fi; cat; } >"$folder/expected"
  if (($# > 2)) && ! grep -q '<use ' "$folder/docs/figures/$1.svg"; then echo "The figure $1 has no points"; failed=1; fi
  sed "/^<!-- $1:begin -->/,/^<!-- $1:end -->/!d;//d" "$folder/docs/$page" >"$folder/found"
  diff "$folder/expected" "$folder/found" || { echo "The table $1 is not the expected one (<)"; failed=1; }
}
expect allreduce throughput "MPI_Allreduce of doubles against MPICH" <<'END'
| size | MPICH | Open MPI | team of 1 | ratio | team of 2 | ratio |
|---|---|---|---|---|---|---|
| 8 B | 4.00 | 3.00 | 6.00 | 0.50 | 1.50 | 2.00 |
END
page=appendix.md
expect alloc-mem alloc_mem "MPI_Allreduce of doubles against MPICH" <<'END'
| size | MPICH | team of 1 | ratio |
|---|---|---|---|
| 2 MiB | 2000 | 1000 | 2.00 |
END
expect oversubscribed oversubscribed-8,oversubscribed-16 "MPI_Allreduce with more ranks than cores" <<'END'
| ranks | size | MPICH | Open MPI | team of 1 | ratio | team of 2 | ratio |
|---|---|---|---|---|---|---|---|
| 8 | 8 B | 4.00 | 3.00 | 6.00 | 0.50 | 1.50 | 2.00 |
| 16 | 8 B | 4.00 | 3.00 | 6.00 | 0.50 | 1.50 | 2.00 |
END
expect collectives collectives "Collectives, team of 1, against native MPI" <<'END'
| size | MPI_Gather | MPI_Reduce_scatter_block |
|---|---|---|
| 8 B | 6.00, 0.50 | 6.00, 0.50 |
END
expect limits limits <<'END'
| size | memory | crossing | chunk | stores | pack | reduce | fetch | limit | library | ratio |
|---|---|---|---|---|---|---|---|---|---|---|
| 1 KiB | malloc | 2 KiB | 512 B | plain, streaming | 1.00 | 2.00 | 1.00 | 4.00 | 5.00 | 1.25 |
END
expect peers peers "Collectives, team of 1, against newer MPIs" <<'END'
| operation | size | MPICH | MPICH 9.9<br>A=1<br>B=2 | team of 1 | ratio |
|---|---|---|---|---|---|
| MPI_Bcast | 8 B | 4.00 | 3.00 | 6.00 | 0.50 |
| MPI_Gather | 8 B | 4.00 | 3.00 | 6.00 | 0.50 |
END
page=performance.md
expect transfers transfers "Messages, team of 1, against native MPI" <<'END'
| type | by | 1 KiB | 2 KiB |
|---|---|---|---|
| a | team of 1 | 4.00, 2.00 | 4.00, 1.50 |
| a | team of 2 | 2.00, 4.00 | 3.00, 2.00 |
| b | team of 1 | 8.00, 1.00 | 6.00, 1.00 |
| b | team of 2 | 1.00, 8.00 | 3.00, 2.00 |
END
page=appendix.md
expect pack pack "Packing a vector of single doubles" <<'END'
| type |  | 1 KiB | 2 KiB |
|---|---|---|---|
| vector-1 | pack | 1.00 / 2.00 / 4.00 | 2.00 / 2.00 / 2.00 |
| vector-1 | unpack | 0.500 / 1.00 / 1.00 | 2.00 / 2.00 / 2.00 |
END
page=performance.md
expect costs costs <<'END'
|  | median | p10 | p90 | unit | limit |
|---|---|---|---|---|---|
| A call | 2.00 | 1.00 | 3.50 | ns | 3 |
END
expect programs programs "Whole programs: speed with the library" <<'END'
| program | ranks x threads | native | in MPI | library | in MPI | ratio |
|---|---|---|---|---|---|---|
| a | 2 x 1 | 4.00 | 0.500 | 2.00 | 0.250 | 2.000 |
| a | 2 x 2 | 6.00 | 5.00 | 5.00 | 4.00 | 1.200 |
| b | 8 x 1 | 1.00 | 0.500 | 2.00 | 1.50 | 0.500 |
| b | 8 x 2 | 1.00 | 0.500 | 0.500 | 0.000 | 2.000 |
END
page=appendix.md
expect pinned helpers-pinned <<'END'
| function | data | size | 2 threads, compact |
|---|---|---|---|
| f | struct | 1 KiB | 4.00, 2.00 |
END
expect first-calls first_calls <<'END'
| operation | size |  | call 1 | calls 2 to 5 | call 100 | 1 to 5 : 100 | ratio |
|---|---|---|---|---|---|---|---|
| MPI_Bcast | 1 KiB | MPICH | 50.0 | 5.00 | 4.00 | 3.50 |  |
| MPI_Bcast | 1 KiB | team of 1 | 25.0 | 5.00 | 2.00 | 4.50 | 1.56 |
END
expect busy-neighbour busy_neighbour <<'END'
| processes beside | what | MPICH | library | worst : worst |
|---|---|---|---|---|
| 1, nice 0 | halo | 1.00 to 4.00 | 1.00 to 3.00 | 0.75 |
END
expect creation creation "Creating a communicator: part of 4 ranks" <<'END'
| of 4 ranks | MPI_Comm_split | direct |
|---|---|---|
| 1 | 5.00 | 0.001 |
| 2 | 6.00 | 3.00 |
END
expect creation-few creation,creation-2 <<'END'
| ranks of the group, of all | MPI_Comm_split | direct |
|---|---|---|
| 1 of 2 | 4.00 | 2.00 |
| 1 of 4 | 5000 | 1.00 |
| 2 of 4 | 6000 | 3000 |
END
expect groups groups,groups-many "Making and freeing a group of all ranks" <<'END'
| ranks | MPI_Comm_split | balance | hash | centralised |
|---|---|---|---|---|
| 2 | 30.0 | 10.0, 3.0 | 15.0, 2.0 | 60.0, 0.5 |
| 16 | 30.0 | 10.0, 3.0 | 15.0, 2.0 | 60.0, 0.5 |
END
expect groups-memory groups,groups-many <<'END'
| ranks | group | communicator |
|---|---|---|
| 2 | 400 | 2000 |
| 16 | 500 | 3000 |
END
expect enrolments enrolments-8 "Messages to make a group of 8 ranks" <<'END'
| ranks | fraction | hash | balance |
|---|---|---|---|
| 8 | 0.5 | 20, 20, 150 | 18, 18, 99.0 |
| 8 | 1 | 30, 30, 160 | 28, 28, 100 |
END
expect trees-memory trees_memory "Memory of a process that makes a group" <<'END'
| processes | hash | balance |
|---|---|---|
| 16 | 300, 200, 70 | 400, 250, 80 |
| 32 | 300, 201, 70 | 500, 260, 80 |
END
expect nodes nodes "Model: 1,024 nodes of 1 rank, teams of 64" <<'END'
| network | nodes | ranks x team | operation | 8 B | 1 MiB |
|---|---|---|---|---|---|
| fast | 1024 | 1 x 64 | bcast | native | 1.50 ring |
END
expect nodes-others nodes <<'END'
| network | nodes | ranks x team | operation | 8 B | 1 MiB |
|---|---|---|---|---|---|
| fast | 1024 | 1 x 64 | scan | native | 2.00 chain |
| fast | 1024 | 1 x 64 | barrier | 2.00 dissemination |  |
END
expect groups-allreduce groups "MPIX_Sysgroup_allreduce against MPI_Allreduce" <<'END'
| team | 64 KiB | 1 MiB |
|---|---|---|
| 1 | 0.75 | 1.00 |
| 2 | 0.50 | 1.50 |
END
expect mcmc-threads mcmc_threads-2,mcmc_threads-8 <<'END'
| balancing | 2 ranks | 8 ranks |
|---|---|---|
| the ideal, with a processor for each rank | 0.250 | 0.250 |
| none | 1.000 | 2.000 |
| collective 1 | 0.500 | 0.500 |
END
page=guide.md
expect placement placement "Where the members of a team run" <<'END'
| placement | member 0 | member 1 |
|---|---|---|
| compact | 0 | 1 |
| numa | 0–1 | 2–3 |
END
page=papers.md
expect graph graph,helpers-graph "Graph 1: MPI_Allreduce of ints, 2 ranks" <<'END'
| size | MPICH, MB/s | Open MPI, MB/s | 1 thread, MB/s | team of 2, MB/s | 1 thread, emulated cores, MB/s | 2 threads, emulated cores, MB/s |
|---|---|---|---|---|---|---|
| 8 B | 2 | 3 | 1 | 5 |  |  |
| 1000 B |  |  |  |  | 10000 | 20000 |
END
expect messages-teams helpers-messages "Messages between two ranks, 1 KiB" <<'END'
| function | data | size | 1 thread, ms | 2 threads |
|---|---|---|---|---|
| f | struct | 1 KiB | 4.00 | 1.33 |
END
expect groups-teams helpers-groups "Groups of four ranks, 1 KiB" <<'END'
| function | data | size | 1 thread, ms | 2 threads |
|---|---|---|---|---|
| f | struct | 1 KiB | 4.00 | 2.00 |
END
expect mcmc-teams mcmc_emulated-2 <<'END'
| balancing | 2 threads, alone | 2 threads, team |
|---|---|---|
| the ideal | 0.250 |  |
| none | 1.000 | 0.500 |
END
expect mcmc mcmc_model "Figure 2: weak scaling in the model" <<'END'
| balancing | processes | seconds | × ideal | regroupings: mean, deviation, least, most | in the paper (8192) |
|---|---|---|---|---|---|
| collective 64 | 16 | 1.000 | 2.000 | 3.50, 1.00, 2, 5 | 3.75, 1.20, 2, 5 |
END
expect trees-trace trees "Figure 5: 1 processes" <<'END'
| messages | number | first, µs | last, µs |
|---|---|---|---|
| upward pass | 2 | 2.00 | 5.00 |
| relocations | 1 | 3.00 | 4.00 |
END
expect trees-messages trees "Figure 6: messages, 2048 processes" <<'END'
|  | messages, deviation at most | times within 15 % | within 30 % |
|---|---|---|---|
| centralised | 0.00 % | 0 of 0 cells | 0 |
| balance | 20.00 % | 0 of 1 cells | 1 |
| hash | 0.00 % | 0 of 1 cells | 1 |
END
expect trees-fillers trees "Figure 7: times with each filler" <<'END'
| a list costs | 0.3 | balance within 30 % |
|---|---|---|
| 0.5 of a message | 1.25, 1.50 | 1 of 1 |
END
expect trees-times trees "Figure 8: times, 2048 processes" <<'END'
| fraction | scheme | 2k |
|---|---|---|
| 0.3 | centralised | 8, –<br>10, – |
| 0.3 | balance | 12, 10<br>20, 25 |
| 0.3 | hash | 4, 5<br>30, 30 |
END
page=protocols.md
expect overlap overlap <<'END'
| operation | 1 KiB | 2 KiB |
|---|---|---|
| a | 9.00 (13 %) → 4.00 (13 %) | 10.0 (13 %) → 5.00 (13 %) |
| b | 1.00 (13 %) → 2.00 (13 %) | 3.00 (13 %) → 4.00 (13 %) |
END
page=appendix.md
expect deposit idle_threads <<'END'
| cells | OMP_WAIT_POLICY | before | hybrid |
|---|---|---|---|
| 131072 (1 MiB) | passive | 5.00 (3.00-20.0) | 2.00 (1.00-3.00) |
END
expect columns idle_threads <<'END'
| rows | OMP_WAIT_POLICY | before |
|---|---|---|
| 131072 (1 MiB) | active | 7.00 (7.00-7.00) |
| 131072 (1 MiB) | passive | 8.00 (8.00-8.00) |
END
expect hosts hosts-2,hosts-8 <<'END'
| operation | hosts | 8 B |
|---|---|---|
| MPI_Gather | 2 | 0.006, 0.50 |
| MPI_Gather | 8 | 0.006, 0.50 |
| MPI_Reduce_scatter_block | 2 | 0.006, 0.50 |
END

# A page of some results: for each table of the pages it has the table, or says that it was not measured, with the text next to it.
mkdir "$folder/some" "$folder/others"
cp "$folder"/oversubscribed-* "$folder/some"
cp "$folder"/peers.* "$folder/others"
"$report" "$folder/some" "$folder/others" "$folder/lacking" --page "$folder/report.html"
on_page() { grep -qF -e "$1" "$folder/report.html" || { echo "The report's page does not have: $1"; failed=1; }; }
for name in $(sed -n 's/^<!-- \([a-z-]*\):begin -->$/\1/p' "$pages"/{performance,appendix,protocols,papers}.md); do
  grep -q -e "<figure id=\"tab-$name\">" -e "Not measured: $name\." "$folder/report.html" || { echo "$name is not on the report's page"; failed=1; }
done
limits=$(awk '/^#/ { table = 0 } /^<!-- [a-z-]*:begin/ { table = 1 } table && /^\*\*What limits it:\*\*/ { n++ } END { print n }' "$pages"/{performance,appendix}.md)
(($(grep -c '<p><b>What limits it:</b>' "$folder/report.html") == limits)) || { echo "The report's page lacks some of $limits limits"; failed=1; }
on_page '<th>MPICH 9.9<br>A=1<br>B=2</th>'
on_page "<code>measure oversubscribed-8<br>measure oversubscribed-16</code><small>2026-01-02, oversubscribed-8&#39;s machine<br>"
on_page '<figure id="tab-oversubscribed">'
on_page '<figure id="tab-peers">'
on_page 'Not measured: costs.'
on_page '<p>MPI_Allreduce, with 2 cores for all ranks.</p>'

# outside PAGE - prints the parts that are not generated.
outside() { sed '/^<!-- [a-z-]*:begin -->/,/^<!-- [a-z-]*:end -->/d' "$1"; }
for page in "$pages"/*.md; do
  diff <(outside "$page") <(outside "$folder/docs/${page##*/}") || { echo "More than tables has changed"; failed=1; }
done

mkdir "$folder/none"
pages "$folder/same"
"$report" "$folder/none" --tables "$folder/same"
diff <(cat "$pages"/*.md) <(cat "$folder"/same/*.md) || { echo "Without results the pages have changed"; failed=1; }

# refuse WHAT EDIT - fails unless the page, as edited by sed, is refused.
refuse() {
  rm -rf "$folder/other"
  pages "$folder/other"
  sed -i "$2" "$folder/other/performance.md"
  cp "$folder/other/performance.md" "$folder/kept.md"
  if "$report" "$folder" --tables "$folder/other"; then echo "A page with $1 is taken"; failed=1; fi
  cmp "$folder/other/performance.md" "$folder/kept.md" || failed=1
}
refuse "a table that nobody makes" '1i<!-- weather:begin -->\n<!-- weather:end -->'
refuse "a table that lacks its end" '/^<!-- costs:end -->/d'
refuse "a table that is missing" '/^<!-- transfers:begin -->/,/^<!-- transfers:end -->/d'
exit "$failed"
