// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that the library intercepts only to count them.

#include "interpose/counted.hpp"

using namespace helper::interpose;

#include "interpose/counted.inc"
