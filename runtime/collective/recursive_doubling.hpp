// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "reduction/kernel.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Allreduce of short vectors by exchanging whole partial results, ceil(log2(ranks)) times plus two where the
/// ranks are no power of two. Always combines the operand of the lower ranks with that of the higher ones, so
/// it also suits operations that do not commute, and all ranks compute the same bits. `source` may be
/// `result`. Blocks, lending the caller; throws MpiError.
void recursive_doubling(team::Member& member, const transport::Shadow& shadow,
                        const reduction::Kernel& kernel, const void* source, void* result, std::size_t count);

} // namespace helper::collective
