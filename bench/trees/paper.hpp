// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "model/enrol.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A scheme of enrolment with its name on the command line.
struct NamedScheme {
  std::string name;
  helper::groups::tree::Scheme scheme;
  std::string in_paper; ///< its name in Table II; empty if Table II does not have it
};

const std::vector<NamedScheme>& named_schemes();
const NamedScheme& named_scheme(const std::string& name);

/// The paper's measurement of one scheme, fraction and number of processes.
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

  /// Returns the number of participants m. The paper's count of messages of the centralised scheme, (n - 1) +
  /// (m - 1), gives it. For a fraction that the paper does not have, it is the nearest number.
  helper::groups::tree::Rank participants(double fraction, helper::groups::tree::Rank processes) const;

private:
  std::vector<Measured> cells_;
};

/// Returns process 0 and other processes at random, as many as in the paper. The same in every run.
std::vector<bool> draw_participants(helper::groups::tree::Rank participants,
                                    helper::groups::tree::Rank processes);

} // namespace bench
