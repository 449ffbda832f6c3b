// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace helper::process {

/// Tells whether the user has asked the library by a setting to do something of its own accord. Returns true
/// if a setting is malformed, which start() reports.
bool is_asked() noexcept;

/// Returns the rank that the launcher has given the process; 0 if it has not said so.
int rank_by_launcher() noexcept;

/// Writes to standard error that the library leaves all communication to MPI, why, and what to do about it:
/// two sentences of one line, the second an instruction. Only the first call in a process writes.
void say_not_engaged(const std::string& why, const std::string& what_to_do);

} // namespace helper::process
