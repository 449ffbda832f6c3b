// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace bench {

/// What a process did for a time, in seconds after the begin. The kind is that of the message that it
/// handled, as text; "" of the passes before and after the enrolment.
struct Stretch {
  int process;
  double since, until;
  std::string kind;
};

/// Who handled which message when, as an SVG element, 360 units wide; also a file of its own.
std::string enrolment_timeline(const std::vector<Stretch>& stretches);

} // namespace bench
