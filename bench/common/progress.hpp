// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace bench {

enum class ProgressStyle { none, lines, terminal };

/// Shows on standard error how far the measurements are: a line that is overwritten, or one line each.
class Progress {
public:
  Progress(ProgressStyle style, std::size_t total) : style_(style), total_(total) {}

  /// The next of `total` begins.
  void begin(const std::string& what);

  /// Removes the line that is overwritten, so that something else can be printed.
  void clear();

private:
  ProgressStyle style_;
  std::size_t total_, begun_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace bench
