#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# look_at_timeline.sh TRACE - checks that a timeline is JSON for Perfetto, and has a carried call.
set -euo pipefail
python3 - "$1" <<'END_OF_PROGRAM'
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
if not any(event["ph"] == "X" and event["cat"] == "operation" and event["args"]["way"] == "carried" for event in events):
    sys.exit("No call was carried")
END_OF_PROGRAM
