// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that block in MPI. Meanwhile their thread can neither be lent nor advance messages. So before
// they block, they hand messages to MPI that other ranks may wait for.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

#include "interpose/native.inc"
