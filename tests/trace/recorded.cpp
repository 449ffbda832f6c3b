// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Linked to a test of teams, it records all that members do, in timelines so short that they overflow.

#include "trace/track.hpp"

[[maybe_unused]] static const bool recorded = (helper::trace::start(64), true);
