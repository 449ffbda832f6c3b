// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Records calls in their order, including nested ones, such as calls in a user-defined function.

#include <string>

#include "tools/intercept.hpp"

namespace {

std::string& record() {
  static std::string of_calls;
  return of_calls;
}

} // namespace

const bool tool::wants_after = true;

void tool::before(const char* name) {
  record() += std::string(" ") + name + "(";
}

void tool::after(const char*) {
  record() += ")";
}

std::string tool::report(const std::string& head) {
  return "tool: " + head + ":" + record() + "\n";
}
