// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

/// What the tools of this folder differ in: what they make of the calls that they see.
namespace tool {

/// Called by any thread before the MPI function `name` is called in MPI.
void before(const char* name);

/// Called after it, if this tool wants to know that.
void after(const char* name);
extern const bool wants_after;

/// What it has seen, in lines, each with `head` before it.
std::string report(const std::string& head);

} // namespace tool
