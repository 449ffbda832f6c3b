// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Shows whether members meet when they create a communicator: a meeting sends messages with the tag of the
// creation.
namespace test_support {

constexpr int meeting_tag = 23;

/// Returns how many messages with tag meeting_tag this process has started with PMPI_Isend.
int messages_of_meetings();

} // namespace test_support
