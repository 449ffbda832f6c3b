#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# other_version.sh LIBRARY VERSION OTHER COPY - makes a copy of the library with the version text OTHER, which has the same length.
set -euo pipefail

[[ ${#2} == "${#3}" ]]
sed -z "s/${2//./\\.}\$/$3/" "$1" >"$4"
! cmp --silent "$1" "$4"
