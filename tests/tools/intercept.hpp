// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

/// What differs between the tools of this folder: what they do with the calls that they see.
namespace tool {

/// Called in any thread before function `name` of MPI.
void before(const char* name);

/// Called in the same thread after function `name` of MPI, but only if wants_after.
void after(const char* name);
extern const bool wants_after;

/// Returns what the tool has seen, in lines that begin with `head`.
std::string report(const std::string& head);

} // namespace tool
