// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace test_support {

/// From now on MPI gives the processor away whenever it waits and nothing has come. MPICH waits by calling
/// UCX, again and again, and where there are more ranks than processors, a rank that does so keeps one for
/// milliseconds from those that it waits for. To be called while the process has one thread.
void yield_while_waiting();

} // namespace test_support
