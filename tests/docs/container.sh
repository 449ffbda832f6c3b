#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# container.sh README CONTAINERFILE - checks that the image is built with exactly the steps with which the README builds and installs the
# library, in that order.
set -euo pipefail

# Prints the steps in the first block of commands under the heading, without sudo and questions: root makes an image.
steps() {
  sed -n '/^## Install/,/^```$/p' "$1" | sed '1,/^```sh$/d; /^```$/d; s/^sudo apt-get install/apt-get install -y --no-install-recommends/'
}
if ! diff <(steps "$1") <(sed -n 's/^RUN //p' "$2" | grep -v '^apt-get update$'); then
  echo "The README (<) and the Containerfile (>) differ"
  exit 1
fi
[[ $(steps "$1" | wc -l) -gt 2 ]] || { echo "The README has no steps"; exit 1; }
