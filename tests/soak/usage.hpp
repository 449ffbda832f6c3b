// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace soak {

/// This process's use of the system's resources.
struct Usage {
  long resident_kib;
  int descriptors;
  int maps;

  static Usage now();
};

/// Detects growth from lap to lap.
class Growth {
public:
  /// Call it at the end of a lap, when all its objects have been freed.
  void note(const Usage& usage) { seen_.push_back(usage); }

  /// Returns which resource the second half of the laps used more than the first half, by more than caches
  /// and pools explain that fill late. Returns an empty text if none, or if there are too few laps.
  std::string complaint() const;

  /// Returns the usage after the last lap, and after the first, for people.
  std::string summary() const;

private:
  std::vector<Usage> seen_;
};

} // namespace soak
