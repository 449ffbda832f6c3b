// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "figures.hpp"

#include <map>
#include <set>
#include <string>

namespace bench::report {

/// A page in Markdown, and the SVG files that it shows, by their names in the folder figures beside it.
struct Remade {
  std::string page;
  std::map<std::string, std::string> figures;
};

/// The page of that name with its tables made anew. A table stands between `<!-- NAME:begin -->` and `<!--
/// NAME:end -->`, below the date, the machine and its state, and the figure NAME.svg; one whose results are
/// not there stays as it is. Throws std::runtime_error if the page lacks one of the tables, or has one that
/// is not known.
Remade with_tables(const std::string& name, std::string page, const Results& results);

/// The names of all pages that have tables.
std::set<std::string> pages_with_tables();

} // namespace bench::report
