// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that block in MPI, whose thread can neither be lent nor advance its messages. Before they block,
// messages that other ranks may wait for are handed to MPI.

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"

using namespace helper;
using namespace helper::interpose;

#include "interpose/native.inc"
