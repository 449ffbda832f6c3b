// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Shows whether members meet when they create a communicator: a meeting is messages with the creation's tag.
namespace test_support {

constexpr int meeting_tag = 23;

/// How many messages with that tag this process has begun to send by PMPI_Isend.
int messages_of_meetings();

} // namespace test_support
