#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# release.sh ROOT VERSION - checks that all files that name the version name this one, and that no address is a placeholder.
set -euo pipefail
cd -- "$1"

failed=0
expect() {
  if ! grep -qxF -e "$2" <(sed 's/^ *//' "$1"); then
    echo "$1: no line '$2'"
    failed=1
  fi
}

expect CITATION.cff "version: $2"
expect packaging/spack/spack_repo/mpi_helper_teams/packages/mpi_helper_teams/package.py "version(\"$2\")"
newest=$(grep -m 1 '^## \[[0-9]' CHANGELOG.md) # below what is not released yet
date=$(sed -n 's/^date-released: //p' CITATION.cff)
if [[ $newest != "## [$2] - $date" ]]; then
  echo "CHANGELOG.md begins with '$newest', not with version $2 of $date"
  failed=1
fi
if grep -rnE 'example[.](org|com|net)' ./*.md CITATION.cff .github cmake docs include packaging; then failed=1; fi
exit "$failed"
