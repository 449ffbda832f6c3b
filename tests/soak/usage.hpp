// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace soak {

/// What this process has of the system's resources.
struct Usage {
  long resident_kib;
  int descriptors;
  int maps;

  static Usage now();
};

/// Whether it grows from lap to lap.
class Growth {
public:
  /// At the end of a lap, when all that it has made is freed.
  void note(const Usage& usage) { seen_.push_back(usage); }

  /// What the second half of the laps has had more of than the first, by more than pools and caches explain
  /// that fill late; nothing if all is well, or if the laps are too few to tell.
  std::string complaint() const;

  /// The last lap's, and the first's, for people.
  std::string summary() const;

private:
  std::vector<Usage> seen_;
};

} // namespace soak
