// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

/// The middle of a set of samples and how far they spread.
struct Quantiles {
  double p10, median, p90;
};

/// Quantiles of at least one sample, interpolated between neighbours.
inline Quantiles quantiles(std::vector<double> samples) {
  std::ranges::sort(samples);
  const auto at = [&](double fraction) {
    const double position = fraction * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    return std::lerp(samples[below], samples[std::min(below + 1, samples.size() - 1)],
                     position - std::floor(position));
  };
  return {at(0.1), at(0.5), at(0.9)};
}

/// How far ratios are from 1 in half of them, in 90 of 100, and in all, in percent: 1.25 and 0.8 are 25 %
/// off.
struct Deviations {
  double half, most, all;
};

/// Deviations of at least one ratio.
inline Deviations deviations(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = 100 * (std::max(ratio, 1 / ratio) - 1);
  std::ranges::sort(ratios);
  const auto at = [&](double part) {
    return ratios[static_cast<std::size_t>(part * static_cast<double>(ratios.size() - 1))];
  };
  return {at(0.5), at(0.9), at(1)};
}

} // namespace bench
