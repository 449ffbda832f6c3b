// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/output.hpp"

#include <optional>
#include <string>

namespace bench {

/// A cost of the library, and the limit that the design sets, if it sets one.
inline void add_cost(Lines& lines, const std::string& what, const std::string& unit, const Samples& samples,
                     std::optional<double> limit = {}) {
  const auto [p10, median, p90] = quantiles(samples);
  Json line{{"what", what}, {"unit", unit}, {"p10", p10}, {"median", median}, {"p90", p90}};
  if (limit) line["limit"] = *limit;
  lines.add(std::move(line));
}

/// The costs that this process measures by itself, between MPI_Init and MPI_Finalize.
void measure_here(Lines& lines);

} // namespace bench
