// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/panels.hpp"

#include <string>

namespace bench::report {

enum class Values { numbers, bytes };

/// A panel as an SVG element, 360 units wide, that takes its colours from CSS: see style(). Curves without
/// points are left out; "" if none has any. Where an axis is logarithmic all values are positive.
std::string chart(const Panel& panel, Values x = Values::numbers);

/// The same as a file of its own.
std::string picture(const Panel& panel, Values x = Values::numbers);

} // namespace bench::report
