// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Non-blocking collectives are begun by the library where the team can carry them, and otherwise by MPI.
// Those that move data, and their persistent forms, MPI does. Some are here and not only counted because
// calls that fail, and persistent requests that are freed, must not stay counted.

#include "collective/nonblocking.hpp"
#include "interpose/entry.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::started;

#include "interpose/nonblocking_collectives.inc"
