// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// These functions block in MPI, where the thread can neither be lent nor advance the messages that it has
// under way. What others may wait for goes to MPI before.

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

#include "interpose/native.inc"
