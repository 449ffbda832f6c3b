// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "figures.hpp"

#include <map>
#include <string>

namespace bench::report {

/// A page in Markdown, and the SVG files that it shows, by their names in the folder figures beside it.
struct Remade {
  std::string page;
  std::map<std::string, std::string> figures;
};

/// The page with its tables made anew. A table stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`,
/// below the date, the machine and its state, and the figure NAME.svg; one whose results are not there stays
/// as it is. Throws std::runtime_error if the page lacks one of the tables, or has one that is not known.
Remade with_tables(std::string page, const Results& results);

} // namespace bench::report
