#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# rpm.sh FOLDER - checks that the RPMs there contain the files of the Debian packages, which are unpacked to FOLDER/root, and require the
# library's MPI.
set -euo pipefail
cd "$1"

files() { rpm -qp --queryformat '[%{FILEMODES:perms} %{FILENAMES}\n]' -- *.rpm | sed -n 's/^[^d][^ ]* //p' | sort; }
if ! diff <(cd root && find . ! -type d | sed 's/^\.//' | sort) <(files); then
  echo "The Debian packages (<) and the RPMs (>) hold different files"
  exit 1
fi
rpm -qp --requires -- *.rpm | grep -q '^libmp.*\.so' || { echo "No RPM needs MPI"; exit 1; }
rpm -qp --provides -- *.rpm | grep -q '^libmpi_helper\.so' || { echo "No RPM provides the library"; exit 1; }
