// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace test_support {

/// From now on MPI yields the core when it waits and nothing has arrived. MPICH waits by calling UCX
/// repeatedly. If ranks outnumber the cores, a waiting rank would for milliseconds keep a core from the rank
/// that it waits for. Call it while the process has one thread.
void yield_while_waiting();

} // namespace test_support
