// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace bench {

enum class ProgressStyle { none, lines, terminal };

/// Returns `terminal` if standard error is one, else `lines`.
ProgressStyle default_progress();

/// Shows on standard error how many measurements have begun: either on one line that is overwritten, or one
/// line for each.
class Progress {
public:
  explicit Progress(std::size_t total, ProgressStyle style = default_progress())
      : style_(style), total_(total) {}

  /// Reports that the next of `total` measurements begins.
  void begin(const std::string& what);

  /// Removes the line, so that the program can print.
  void clear();

private:
  ProgressStyle style_;
  std::size_t total_, begun_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace bench
