#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# look_at_timeline.sh REPORT TRACE PICTURE - has REPORT draw the call of a timeline that helpers had the greatest part in, and Chromium, where
# there is one, make a picture of that. Whether such figures are as they should be is seen by the test of the report.
set -euo pipefail
report=$1 trace=$2 picture=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp "$trace" "$folder/trace.json"
printf '%s\n%s\n' "mpiexec.mpich -n 1 -genv MPI_HELPER_TRACE timeline.json ./helping" "$(date +%F)" >"$folder/trace.command"
"$report" "$folder" --page "$folder/page.html"
# Of the page, its style and this figure.
sed '/<header>/,/<\/header>/d; /<main>/,/<\/main>/{/<figure id="fig-timeline">/,/<\/figure>/!d}' "$folder/page.html" >"$folder/figure.html"
# The call is there. On a busy machine helpers may have come to none of the calls.
grep -q '<rect class="span operation"[^>]*><title>' "$folder/figure.html" || { echo "No call is drawn"; exit 1; }
if ! command -v chromium >/dev/null; then exit; fi
HOME=$folder timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=600,334 \
  --screenshot="$folder/picture.png" "file://$folder/figure.html" 2>/dev/null
(($(stat -c %s "$folder/picture.png") > 10000)) || { echo "The picture is empty"; exit 1; }
cp "$folder/picture.png" "$picture"
