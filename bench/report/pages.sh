#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
#
# pages.sh PAGE... - shows a source file that has the pages' paragraphs in it, for pages.hpp. So the report needs no docs/ where it runs.
set -euo pipefail
echo '#include "report/pages.hpp"
const std::vector<bench::report::TextOfPage>& bench::report::pages() {
  static const std::vector<TextOfPage> all{'
for page in "$@"; do
  echo "{\"${page##*/}\", {"
  awk -v RS= '{ printf "R\"page(%s)page\",\n", $0 }' "$page"
  echo '}},'
done
echo '};
  return all;
}'
