// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mutex>

#include "groups/creation/create.hpp"
#include "team/team.hpp"

namespace helper::groups::creation {

/// A thread has its turn as long as it owns this object, and no other thread of the process has one
/// meanwhile.
class Turn {
public:
  /// Waits for the turn, lending `waiting`. All of the members call it, and have met before. Turns never wait
  /// for one another in a circle if they are at communicators of the same processes, or of processes of one
  /// MPI_COMM_WORLD. Throws MpiError.
  Turn(const Members& members, team::Member& waiting);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace helper::groups::creation
