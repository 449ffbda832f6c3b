#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# other_version.sh LIBRARY VERSION COPY - makes a copy of the library that takes itself for another version, 9.9.9.
set -euo pipefail

[[ ${#2} == 5 ]] # a text of the same length
sed -z "s/${2//./\\.}\$/9.9.9/" "$1" >"$3"
! cmp --silent "$1" "$3"
