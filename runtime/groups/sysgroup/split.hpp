// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include "groups/sysgroup/group.hpp"
#include "groups/tree/enrolment.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// Of each colour among the members of `parent` the group of those that have it, and for the caller the one
/// of its own; nullptr if that is negative, which is none. Collective over `parent`: blocks, lending
/// `member`, for an enrolment per colour, one after the other. Throws MpiError and PeerGaveUp.
std::shared_ptr<Group> split(const std::shared_ptr<Group>& parent, const tree::Scheme& scheme, int colour,
                             team::Member& member);

} // namespace helper::groups::sysgroup
