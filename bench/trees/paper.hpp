// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/enrol.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A way to enrol, under the name that the command line has for it.
struct NamedScheme {
  std::string name;
  helper::groups::tree::Scheme scheme;
  std::string in_paper; ///< its name in Table II; empty if it is not there
};

const std::vector<NamedScheme>& named_schemes();
const NamedScheme& named_scheme(const std::string& name);

/// What the paper measured of one scheme, fraction and number of processes.
struct Measured {
  std::string scheme;
  double fraction;
  helper::groups::tree::Rank processes;
  double seconds;
  std::size_t messages;
};

/// Table II.
class Paper {
public:
  /// Throws std::runtime_error if the file is not as expected.
  explicit Paper(const std::string& file);

  std::optional<Measured> find(const NamedScheme& scheme, double fraction,
                               helper::groups::tree::Rank processes) const;

  /// How many participated: what the messages of the centralised scheme say, (n - 1) + (m - 1); the nearest
  /// number for a fraction that the paper does not have.
  helper::groups::tree::Rank participants(double fraction, helper::groups::tree::Rank processes) const;

private:
  std::vector<Measured> cells_;
};

/// Process 0, and the others at random, as many as the paper's; the same in every run.
std::vector<bool> draw_participants(helper::groups::tree::Rank participants,
                                    helper::groups::tree::Rank processes);

} // namespace bench
