// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include "groups/sysgroup/sysgroup.hpp"
#include "groups/tree/enrolment.hpp"
#include "team/team.hpp"

namespace helper::groups::sysgroup {

/// Makes a group of the members of `parent` for each colour that members have, and returns the one of the
/// caller's colour, or nullptr if that is negative, which stands for none. It is collective over `parent` and
/// blocks, lending `member`, for one enrolment after the other, one for each colour. Throws MpiError and
/// PeerGaveUp.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member);

} // namespace helper::groups::sysgroup
