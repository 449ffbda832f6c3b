// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench::report {

/// A page of docs/ in Markdown, as it was when this was built: what stands between empty lines.
struct TextOfPage {
  std::string name;
  std::vector<std::string_view> paragraphs;
};

/// The pages that have tables, that on performance first.
const std::vector<TextOfPage>& pages();

} // namespace bench::report
