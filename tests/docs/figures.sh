#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# figures.sh ROOT - checks that a page shows each picture of ROOT/docs/figures, and that none has colours that only browsers understand.
set -euo pipefail
cd -- "$1/docs/figures"

failed=0
if grep -l 'var(' ./*.svg; then
  echo "These have custom properties of CSS, which are black outside of browsers."
  failed=1
fi
for figure in *; do
  if ! grep -qF "figures/$figure)" ../*.md ../../README.md; then
    echo "No page shows docs/figures/$figure"
    failed=1
  fi
done
exit "$failed"
