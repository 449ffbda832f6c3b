// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/patience.hpp"

#include <mpi.h>

#include "transport/thread_level.hpp"

namespace helper::transport {

Patience::Patience(team::Member& member) noexcept
    : member_(member), pause_(member, team::Woken::by_mpi), before_(current) {
  if (thread_level() != MPI_THREAD_MULTIPLE) current = this;
}

Patience::~Patience() {
  current = before_;
}

void Patience::in_vain() noexcept {
  if (!waits_) { // many functions poll once, and wait for nothing
    waits_ = true;
    return;
  }
  if (member_.help())
    pause_.end();
  else
    pause_.take();
}

} // namespace helper::transport
