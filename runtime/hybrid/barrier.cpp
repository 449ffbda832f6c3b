// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

namespace helper::hybrid {

const HybridOperation barrier{"MPIX_Helper_barrier", [](team::Member&, const MemberCall& own, MemberCalls) {
                                check(MPI_Barrier(own.comm));
                              }};

} // namespace helper::hybrid
