#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# look_at_timeline.sh TRACE PICTURE - opens a timeline in Chromium's own viewer, chrome://tracing, as the tutorial says, sees that
# the viewer finds in it two processes with two members each, calls of MPI_Allreduce, and work in them, and takes a picture of it. Says
# so and does nothing where there is no Chromium.
set -euo pipefail
trace=$1 picture=$2

if ! chromium=$(command -v chromium); then
  echo "Not looked at: there is no chromium"
  exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/to" "$folder/from"
HOME=$folder timeout 60 "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,460 \
  --remote-debugging-pipe 3<"$folder/to" 4>"$folder/from" 2>"$folder/log" &
exec 5>"$folder/to" 6<"$folder/from"

# call METHOD PARAMETERS - of the DevTools protocol, whose messages end with a null byte; `answer` is what it returns.
id=0 session=
call() {
  id=$((id + 1))
  printf '{"id":%d%s,"method":"%s","params":%s}\0' "$id" "$session" "$1" "$2" >&5
  while IFS= read -r -d '' -t 30 answer <&6; do
    if [[ $answer == "{\"id\":$id,"* ]]; then return; fi
  done
  echo "No answer to $1"
  cat "$folder/log"
  return 1
}
# value NAME - a string of that name in the answer
value() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p" <<<"$answer"; }
evaluate() { call Runtime.evaluate "{\"expression\":\"$(sed 's/\\/\\\\/g; s/"/\\"/g' | tr '\n' ' ')\",\"awaitPromise\":true,\"returnByValue\":true}"; }

call Target.createTarget '{"url":"chrome://tracing"}'
call Target.attachToTarget "{\"targetId\":\"$(value targetId)\",\"flatten\":true}"
session=",\"sessionId\":\"$(value sessionId)\""
evaluate <<END
new Promise(done => {
  const wait = () => window.profilingView ? done("there") : setTimeout(wait, 50);
  wait();
})
END
echo "$answer"
