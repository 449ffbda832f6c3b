// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "advice/recorder.hpp"

namespace helper::advice {

/// Begins to measure. Call it after MPI has been initialised. Collective.
void begin();

/// Prints the advice at rank 0; does nothing without begin(). Call it right before MPI is finalised, after
/// the library has begun. Collective.
void end();

} // namespace helper::advice
