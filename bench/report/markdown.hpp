// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "figures.hpp"

#include <string>

namespace bench::report {

/// The page, in Markdown, with its tables made anew. A table stands between `<!-- NAME:begin -->` and
/// `<!-- NAME:end -->`, below the date and the machine of its results; one whose results are not there stays
/// as it is. Throws std::runtime_error if the page lacks one of the tables, or has one that is not known.
std::string with_tables(std::string page, const Results& results);

} // namespace bench::report
