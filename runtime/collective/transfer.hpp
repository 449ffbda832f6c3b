// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Sends `out` to `peer` and receives `in` from it, `bytes` bytes each; either may be null. Blocks, lending
/// the caller. `operation` names it in a stall report. Throws MpiError and PeerGaveUp.
void transfer(const char* operation, team::Member& member, const transport::Shadow& shadow, const void* out,
              void* in, std::size_t bytes, int peer, Message message);

} // namespace helper::collective
