#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

usage() {
  cat <<'END_OF_USAGE'
Usage: tests/structure/count.sh [--ways] [--lists] [CHECKOUT...]
       tests/structure/count.sh --check BOUNDS

Counts what a reader of runtime/ meets, in each checkout of the project that is given, or in this one. The result is a table in
Markdown with a column for each.

  types          classes, structs, unions and enums that have a name; one that is declared for several cases of a template,
                 or under several conditions, counts once
  aliases        names that `using` or `typedef` gives to types; they are not among the types
  several types  names that more than one type has; and those that more than one type has that is not nested in another type
  lines          of C++ and assembler, and without blank lines and lines that are comments
  globals        mutable ones: lines that say constinit
  long files     files of more than 400 lines
  name an MPI    files in which MPICH or Open MPI is named
  arrows         pairs of folders of which one includes headers of the other; up: against the order in docs/design.md

  --check  compare this checkout with the bounds in the file BOUNDS, whose lines are a number and what it counts. A count above
           its bound fails. Without universal-ctags the status is 77 and nothing is compared.
  --ways   count as well what is on the way of one MPI_Allreduce of 1 MiB and of one MPI_Send of a vector, 1 MiB of single
           doubles at stride 2, at rank 0 of two on this node, in a phase of a team of two. Builds the checkout's preset debug in
           its build/debug, which takes minutes, and runs tests/structure/way.c with valgrind.
             functions  of runtime/ that the calling thread enters
             frames     of such functions that can be on its stack at once, by who calls whom
             files      that have these functions
             types      that own these functions, and those that their signatures name as well
  --lists  show, before the table, the names that several types have, and with --ways the functions, files and types
  --help   show this text

MPIEXEC and MPICC may name MPI's launcher and compiler; otherwise they are those of Debian's MPICH.
END_OF_USAGE
}

ways=() lists=0 checkouts=() bounds=
own=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
for argument; do
  case $argument in
  --help | -h) usage; exit ;;
  --ways) ways=(allreduce send) ;;
  --lists) lists=1 ;;
  --check) break ;;
  -*) echo "count.sh: unknown option '$argument'; see --help" >&2; exit 2 ;;
  *) checkouts+=("$(cd -- "$argument" && pwd)") ;;
  esac
done
if [[ ${1-} == --check ]]; then
  if (($# != 2)); then usage; exit 2; fi
  bounds=$2 checkouts=("$own")
fi
if ((${#checkouts[@]} == 0)); then checkouts=("$own"); fi

# In a test, tests/run has already tried to install missing packages.
if [[ -z $bounds ]]; then
  source "$own/cmake/setup.sh"
  groups=(count)
  if ((${#ways[@]})); then groups+=(ways build); fi
  setup "${groups[@]}"
fi
if [[ $(ctags --version 2>/dev/null) != 'Universal Ctags'* ]]; then
  echo "count.sh: needs Universal Ctags; as an administrator: apt-get install universal-ctags" >&2
  [[ -n $bounds ]] && exit 77
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tags CHECKOUT - prints all named types and aliases: name, kind, kind of its scope, scope, file. Anonymous namespaces are left out of
# scopes.
tags() {
  ctags -f - --languages=C++,C --langmap=C++:.cpp.hpp --kinds-C++=csugt --fields=KsZ -R --exclude=launcher "$1/runtime" |
    awk -F'\t' -v OFS='\t' '
      /^!/ || $1 ~ /^__anon/ { next }
      {
        kind = scope = nesting = ""
        for (i = 4; i <= NF; ++i) {
          if ($i !~ /:/) kind = $i
          if ($i ~ /^scope:/) {
            split($i, part, ":")
            nesting = part[2]
            scope = substr($i, length("scope:" nesting ":") + 1)
            gsub(/__anon[0-9a-f]+(::)?/, "", scope)
            sub(/::$/, "", scope)
          }
        }
        print $1, kind == "typedef" ? "alias" : "type", nesting ~ /^(class|struct|union)$/ ? "nested" : "free", scope, $2
      }' | sort -u
}

# several TAGS [free] - prints names that are used for several types, with the types. With "free", nested types do not count.
several() {
  awk -F'\t' -v only="${2-}" '
    $2 == "type" && (only == "" || $3 == only) {
      ++count[$1]
      file = $5
      sub(/^.*\/runtime\//, "", file)
      places[$1] = places[$1] (places[$1] ? ", " : "") ($4 ? $4 "::" : "") $1 " (" file ")"
    }
    END { for (name in count) if (count[name] > 1) print name ": " places[name] }' "$1" | sort
}

# arrows_up CHECKOUT - prints pairs of folders
arrows_up() {
  { "$own/tests/docs/folders.sh" "$1" || true; } | sed -nE 's|^.*: (runtime/.* uses .*)/, which .* lists above it$|\1|p' | sort -u
}

# sources CHECKOUT
sources() { find "$1/runtime" -path '*/launcher' -prune -o '(' -name '*.cpp' -o -name '*.hpp' -o -name '*.S' ')' -print; }

# build_way CHECKOUT - builds the program $scratch/way with the checkout's library, unoptimised, so that every function in the source is
# called
build_way() {
  (cd -- "$1" && cmake --preset debug --log-level=NOTICE && cmake --build --preset debug --target mpi_helper_static) >&2
  "${MPICC:-mpicc.mpich}" -g -pthread -I "$1/include" "$own/tests/structure/way.c" "$1/build/debug/runtime/libmpi_helper.a" \
    -lhwloc -lstdc++ -lm -ldl -o "$scratch/way"
}

# measure WAY - writes callgrind's record to $scratch/WAY.callgrind
measure() {
  # hwloc's component x86, which does not work under valgrind, would print warnings.
  HWLOC_COMPONENTS=-x86 "${MPIEXEC:-mpiexec.mpich}" -n 1 valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measured \
    --compress-strings=no --compress-pos=no --callgrind-out-file="$scratch/$1.callgrind" --log-file="$scratch/$1.log" \
    "$scratch/way" "$1" : -n 1 "$scratch/way" "$1" || { cat "$scratch/$1.log" >&2; exit 1; }
}

# on_the_way CHECKOUT CALLGRIND - prints lines "function FILE NAME" and one line "frames N"
on_the_way() {
  awk -v root="$1/runtime/" '
    # Inline functions of the standard library may be attributed to the file that uses them.
    function node(file, name) {
      if (index(file, root) == 1 && name !~ /^std::[a-z_]+[^ a-z_(<]*\(/) own[file SUBSEP name]
      return file SUBSEP name
    }
    # Returns the greatest number of functions of runtime/ on a path from here. Cycles are cut where they close.
    function depth(at,   most, i, n, next_at, here) {
      if (at in deepest) return deepest[at]
      if (at in on_path) return 0
      on_path[at]
      n = callees[at]
      for (i = 1; i <= n; ++i) {
        here = depth(callee[at, i])
        if (here > most) most = here
      }
      delete on_path[at]
      return deepest[at] = most + (at in own)
    }
    /^fl=/ { file = substr($0, 4); next }
    /^fn=/ { here = node(file, substr($0, 4)); next }
    /^cf[il]=/ { called_file = substr($0, 5); next }
    /^cfn=/ {
      there = node(called_file != "" ? called_file : file, substr($0, 5))
      called_file = ""
      if (!((here, there) in edge)) callee[here, ++callees[here]] = there
      edge[here, there]
    }
    END {
      for (function_ in own) {
        split(function_, part, SUBSEP)
        print "function\t" substr(part[1], length(root) + 1) "\t" part[2]
        here = depth(function_)
        if (here > most) most = here
      }
      print "frames\t" most + 0
    }' "$2"
}

# types_in TAGS [owners] - reads names of functions, and prints the types that they name, or with "owners" the types whose members they are
types_in() {
  awk -F'\t' -v owners="${2-}" '
    FNR == NR {
      if ($2 == "type") type[($4 ? $4 "::" : "") $1]
      next
    }
    {
      text = $0
      gsub(/\(anonymous namespace\)::/, "", text)
      gsub(/\[abi:[^]]*\]/, "", text)
      if (owners) { # the name without template and function arguments; a lambda belongs to the function that contains it
        while (sub(/<[^<>]*>/, "", text)) {}
        sub(/(\(|::operator ).*/, "", text)
        sub(/^.* /, "", text)
      }
      while (match(text, /[A-Za-z_][A-Za-z0-9_]*(::~?[A-Za-z_][A-Za-z0-9_]*)*/)) {
        count = split(substr(text, RSTART, RLENGTH), part, "::")
        name = ""
        for (i = 1; i <= count; ++i) {
          name = name (i > 1 ? "::" : "") part[i]
          if (name in type) print name
        }
        text = substr(text, RSTART + RLENGTH)
      }
    }' "$1" - | sort -u
}

# show TITLE - prints the lines of standard input as a list, if lists are wanted
show() {
  if ((!lists)); then
    cat >/dev/null
    return
  fi
  printf '## %s\n\n' "$1"
  sed 's/^/- /'
  echo
}

# count CHECKOUT - writes lines "WHAT<tab>NUMBER" to $scratch/counts, and lists to standard output
count() {
  local way label
  local -A labels=([allreduce]="MPI_Allreduce of 1 MiB" [send]="MPI_Send of a vector of 1 MiB")
  tags "$1" >"$scratch/tags"
  {
    printf 'types\t%d\n' "$(grep -c $'\ttype\t' "$scratch/tags")"
    printf 'aliases\t%d\n' "$(grep -c $'\talias\t' "$scratch/tags")"
    printf 'names of several types\t%d\n' "$(several "$scratch/tags" | wc -l)"
    printf 'names of several types that are not nested in others\t%d\n' "$(several "$scratch/tags" free | wc -l)"
    printf 'lines\t%d\n' "$(sources "$1" | xargs cat | wc -l)"
    printf 'lines but for blank ones and comments\t%d\n' "$(sources "$1" | xargs cat | grep -cvE '^[[:space:]]*(//.*)?$')"
    printf 'mutable globals\t%d\n' "$(sources "$1" | xargs grep -hE '^[^/]*\<constinit\>' | wc -l)"
    printf 'files of more than 400 lines\t%d\n' "$(sources "$1" | xargs -n 1 wc -l | awk '$1 > 400' | wc -l)"
    printf 'files that name an MPI\t%d\n' "$(sources "$1" | xargs grep -liE 'mpich|open.?mpi' | wc -l)"
    printf 'arrows between folders\t%d\n' "$("$own/tests/docs/folders.sh" --arrows "$1" | wc -l)"
    printf 'arrows up\t%d\n' "$(arrows_up "$1" | wc -l)"
  } >"$scratch/counts"
  several "$scratch/tags" free | show "$1: names of several types that are not nested in others"
  if ((${#ways[@]})); then build_way "$1"; fi
  for way in "${ways[@]}"; do
    label=${labels[$way]}
    measure "$way"
    on_the_way "$1" "$scratch/$way.callgrind" | sort >"$scratch/$way"
    cut -sf 3 "$scratch/$way" >"$scratch/functions"
    {
      printf '%s: functions\t%d\n' "$label" "$(wc -l <"$scratch/functions")"
      printf '%s: frames\t%d\n' "$label" "$(sed -n 's/^frames\t//p' "$scratch/$way")"
      printf '%s: files\t%d\n' "$label" "$(sed -n 's/^function\t//p' "$scratch/$way" | cut -f 1 | sort -u | wc -l)"
      printf '%s: types that own the functions\t%d\n' "$label" "$(types_in "$scratch/tags" owners <"$scratch/functions" | wc -l)"
      printf '%s: types in their signatures as well\t%d\n' "$label" "$(types_in "$scratch/tags" <"$scratch/functions" | wc -l)"
    } >>"$scratch/counts"
    sed -n 's/^function\t//p' "$scratch/$way" | tr '\t' ' ' | show "$1: functions on the way of $label"
    types_in "$scratch/tags" <"$scratch/functions" | show "$1: types on the way of $label"
  done
}

# compare_with BOUNDS - returns whether each count has a bound and is not above it
compare_with() {
  awk -F'\t' '
    FNR == NR {
      if ($0 ~ /^[0-9]/) { match($0, /^[0-9]+ /); bound[substr($0, RLENGTH + 1)] = $0 + 0 }
      next
    }
    !($1 in bound) { print "no bound for " $1; failed = 1; next }
    $2 > bound[$1] { print $1 ": " $2 ", at most " bound[$1]; failed = 1 }
    { delete bound[$1] }
    END {
      for (name in bound) { print "a bound for " name ", which is not counted"; failed = 1 }
      exit failed
    }' "$1" "$scratch/counts"
}

if [[ -n $bounds ]]; then
  count "$own"
  if ! compare_with "$bounds"; then
    echo "count.sh: see tests/structure/count.sh --lists; bounds are lowered, not raised: $bounds" >&2
    exit 1
  fi
  exit
fi

columns=()
for checkout in "${checkouts[@]}"; do
  count "$checkout"
  columns+=("$scratch/column${#columns[@]}")
  mv "$scratch/counts" "${columns[-1]}"
done
{
  printf '| runtime/ |'
  printf ' %s |' "${checkouts[@]##*/}"
  printf '\n|---|'
  printf -- '---|%.0s' "${columns[@]}"
  printf '\n'
  paste "${columns[@]}" | awk -F'\t' '{ row = "| " $1 " |"; for (i = 2; i <= NF; i += 2) row = row " " $i " |"; print row }'
}
