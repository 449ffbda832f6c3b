// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that block in MPI. Meanwhile their thread cannot advance messages. So before they block, they
// hand to MPI the messages for which other ranks may wait.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

#include "interpose/native.inc"
