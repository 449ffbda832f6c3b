// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// The median of samples, and their spread.
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

using Samples = std::vector<double>;

inline std::vector<Quantiles> quantiles(const std::vector<Samples>& all) {
  std::vector<Quantiles> made;
  for (const Samples& each : all) made.push_back(quantiles(each));
  return made;
}

/// Takes samples of `ways` ways alternately, so that a disturbance affects all ways. Takes at least `least`
/// and at most `most` samples of each way, as long as goes_on() returns true. sample(i) returns one sample of
/// way i.
template <class Sample, class GoesOn>
std::vector<Samples> take_alternately(std::size_t ways, std::size_t least, std::size_t most,
                                      const Sample& sample, const GoesOn& goes_on) {
  std::vector<Samples> samples(ways);
  do
    for (std::size_t way = 0; way < ways; ++way) samples[way].push_back(sample(way));
  while (samples[0].size() < least || (samples[0].size() < most && goes_on()));
  return samples;
}

/// Returns a text that says how far the ratios are from 1: 1.25 and 0.8 are both 25 % off. There is at least
/// one ratio.
std::string agreement(std::vector<double> ratios);

} // namespace bench
