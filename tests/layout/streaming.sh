#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# streaming.sh ROOT - streaming stores, which no release orders, are in one function of ROOT/runtime alone, whose last statement is a fence.
set -euo pipefail
cd -- "$1"
found=$(grep -rlE '_mm[0-9]*_(mask_)?stream_|_movnt|movnt[a-z]|__builtin_nontemporal_store|stnp' runtime)
if [[ $found != runtime/layout/past_caches.cpp ]]; then printf 'Streaming stores are in:\n%s\n' "$found"; exit 1; fi
streaming=$(awk '/^void /, /^}/ { text = text $0 "\n"; if (/^}/) { if (text ~ /_stream_/) printf "%s", text; text = "" } }' "$found")
if [[ $(grep -c '^void ' <<<"$streaming") != 1 || $(tail -n 2 <<<"$streaming") != *'  _mm_sfence();'* ]]; then
  printf 'No fence ends:\n%s\n' "$streaming"
  exit 1
fi
if grep -q 'return' <<<"$streaming"; then printf 'Who returns early passes no fence:\n%s\n' "$streaming"; exit 1; fi
