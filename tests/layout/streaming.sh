#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# streaming.sh ROOT - checks that streaming stores, which no release orders, are in only one file of ROOT/runtime. A function that calls one
# that leaves its stores unordered must order them after the last call.
set -euo pipefail
cd -- "$1"
found=$(grep -rlE '_mm[0-9]*_(mask_)?stream_|_movnt|movnt[a-z]|__builtin_nontemporal_store|stnp' runtime)
if [[ $found != runtime/layout/past_caches.cpp ]]; then printf 'Streaming stores are in:\n%s\n' "$found"; exit 1; fi
if ! grep -A1 '^void order_past_caches' "$found" | grep -q '_mm_sfence();'; then echo "order_past_caches() has no fence"; exit 1; fi
names='stream_past_caches|copy_unordered|store_unordered'
mapfile -t users < <(grep -rlE "$names" runtime)
unordered=$(awk -v pattern="$names" '
  FNR == 1 { text = "" }
  { text = text $0 "\n" }
  /^}/ {
    if (text !~ "void (" pattern ")[(][^;{]*[{]" && text ~ pattern) {
      rest = text
      while (match(rest, pattern)) rest = substr(rest, RSTART + RLENGTH)
      sub(/return.*;/, "RETURN", rest)
      if (rest !~ /order_past_caches[(][)];/ || rest ~ /RETURN.*order_past_caches/) printf "%s:\n%s", FILENAME, text
    }
    text = ""
  }' "${users[@]}")
if [[ -n $unordered ]]; then printf 'No fence follows what streams in\n%s\n' "$unordered"; exit 1; fi
