// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "advice/recorder.hpp"

namespace helper::advice {

/// Begins to measure, when MPI has been initialised. It is collective.
void begin();

/// Prints the advice at rank 0. It is called right before MPI is finalised, is collective, and does nothing
/// if begin() was not called. The library has begun then.
void end();

} // namespace helper::advice
