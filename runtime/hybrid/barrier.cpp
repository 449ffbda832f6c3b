// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

namespace helper::hybrid {

const Operation barrier{"MPIX_Helper_barrier",
                        [](team::Member&, const Call& own, Calls) { check(MPI_Barrier(own.comm)); }};

} // namespace helper::hybrid
