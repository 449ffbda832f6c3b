// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These functions are intercepted for no more than to be counted.

#include "interpose/counted.hpp"

using namespace helper::interpose;

#include "interpose/counted.inc"
