// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that block in MPI, where the thread can neither be lent nor advance its messages. Messages that
// other ranks may wait for go to MPI before.

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

#include "interpose/native.inc"
