// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

/// The part in which the tools of this folder differ: what they do with the calls that they see.
namespace tool {

/// Any thread calls it before MPI's function `name`.
void before(const char* name);

/// Called afterwards, if `wants_after`.
void after(const char* name);
extern const bool wants_after;

/// Returns what it has seen as lines, each after `head`.
std::string report(const std::string& head);

} // namespace tool
