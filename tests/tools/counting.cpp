// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Counts the calls of each function. MPI returns directly to the program, as with some profilers.

#include <map>
#include <mutex>

#include "tools/intercept.hpp"

namespace {

std::mutex mutex;

std::map<std::string, int>& counts() {
  static std::map<std::string, int> of_functions;
  return of_functions;
}

} // namespace

const bool tool::wants_after = false;

void tool::before(const char* name) {
  const std::lock_guard lock(mutex);
  ++counts()[name];
}

void tool::after(const char*) {}

std::string tool::report(const std::string& head) {
  std::string text;
  for (const auto& [name, count] : counts()) {
    text += "tool: " + head + ": " + std::to_string(count) + " " + name + "\n";
  }
  return text;
}
