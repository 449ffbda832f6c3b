#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# look_at_timeline.sh REPORT CHECK TRACE PICTURE - has REPORT draw the call of a timeline that helpers had the greatest part in, looks at the
# figure in Chromium by CHECK, and leaves a picture of it. Where there is no Chromium it is only drawn.
set -euo pipefail
report=$1 check=$2 trace=$3 picture=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp "$trace" "$folder/trace.json"
printf '%s\n%s\n' "mpiexec.mpich -n 2 -genv MPI_HELPER_TRACE timeline.json ./helping" "$(date +%F)" >"$folder/trace.command"
"$report" "$folder" --page "$folder/page.html"
# Of the page, its style and this figure.
sed '/<header>/,/<\/header>/d; /<main>/,/<\/main>/{/<figure id="fig-timeline">/,/<\/figure>/!d}' "$folder/page.html" >"$folder/figure.html"
for class in operation helping; do
  grep -q "<rect class=\"span $class\" .*<title>" "$folder/figure.html" || { echo "Nothing is drawn of $class"; exit 1; }
done
"$check" "$folder/figure.html" fig-timeline || exit $(($? == 77 ? 0 : 1))
HOME=$folder chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=600,420 --screenshot="$picture" \
  "file://$folder/figure.html" 2>/dev/null
