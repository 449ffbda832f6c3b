// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace bench {

ProgressStyle default_progress() {
  return isatty(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::lines;
}

void Progress::begin(const std::string& what) {
  if (style_ == ProgressStyle::none) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const auto line = fmt::format("[{:3}/{}] {:4.0f} s  {}", ++begun_, total_, elapsed.count(), what);
  clear();
  fmt::print(stderr, "{}{}", line, style_ == ProgressStyle::lines ? "\n" : "");
  std::fflush(stderr);
}

void Progress::clear() {
  if (style_ == ProgressStyle::terminal) fmt::print(stderr, "\r\033[K");
}

} // namespace bench
