// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace soak {

/// How much of the resources of the system this process uses.
struct Usage {
  long resident_kib;
  int descriptors;
  int maps;

  static Usage now();
};

/// Detects growth from lap to lap.
class Growth {
public:
  /// Call it at the end of a lap, after all objects of the lap have been freed.
  void note(const Usage& usage) { seen_.push_back(usage); }

  /// Returns what the last third of the laps used, if more than the second third, beyond what caches and
  /// pools explain that fill late. Returns an empty text if there was no such growth, or after too few laps.
  std::string complaint() const;

  /// Returns the usage after the first and after the last lap, for people.
  std::string summary() const;

private:
  std::vector<Usage> seen_;
};

} // namespace soak
