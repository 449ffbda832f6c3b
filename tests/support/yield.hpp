// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace test_support {

/// From now on MPI yields the core whenever it waits and nothing has arrived. MPICH waits by calling UCX
/// repeatedly. With more ranks than cores, such a rank would keep a core for milliseconds from the ranks that
/// it waits for. Call it while the process has one thread.
void yield_while_waiting();

} // namespace test_support
