// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/guarded.hpp"
#include "groups/sysgroup/sysgroup.hpp"
#include "lifetime/never_destroyed.hpp"
#include "mpi_helper.h"
#include "team/registry.hpp"

namespace helper::api {

/// Keeps the groups of this process by handle. Any thread may use it.
class SysgroupHandles {
public:
  MPIX_Sysgroup add(std::shared_ptr<groups::sysgroup::Sysgroup> group) {
    const std::lock_guard lock(mutex_);
    do last_ = last_ == std::numeric_limits<MPIX_Sysgroup>::max() ? 1 : last_ + 1;
    while (groups_.contains(last_));
    groups_.emplace(last_, std::move(group));
    return last_;
  }
  std::shared_ptr<groups::sysgroup::Sysgroup> find(MPIX_Sysgroup handle) {
    const std::lock_guard lock(mutex_);
    return at(handle)->second;
  }
  std::shared_ptr<groups::sysgroup::Sysgroup> take(MPIX_Sysgroup handle) {
    const std::lock_guard lock(mutex_);
    return groups_.extract(at(handle)).mapped();
  }

private:
  using Groups = std::unordered_map<MPIX_Sysgroup, std::shared_ptr<groups::sysgroup::Sysgroup>>;

  Groups::iterator at(MPIX_Sysgroup handle) {
    const auto found = groups_.find(handle);
    if (found != groups_.end()) return found;
    throw Rejected(MPI_ERR_ARG, handle == MPIX_SYSGROUP_NULL
                                    ? "group is MPIX_SYSGROUP_NULL"
                                    : "group is no handle of a group: " + std::to_string(handle));
  }

  std::mutex mutex_; // guards the members below
  Groups groups_;
  MPIX_Sysgroup last_ = MPIX_SYSGROUP_NULL; // so a freed handle is reused as late as possible
};

inline constexpr auto& handles = lifetime::sole<SysgroupHandles>;

/// Runs `body(member)`. Errors go to the error handler of MPI_COMM_WORLD; their text names `function`.
template <class Body>
int called(const char* function, const Body& body) {
  return guarded(function, MPI_COMM_WORLD, [&] {
    team::Member* const present = process::present_member();
    team::Member& member = present != nullptr ? *present : team::alone();
    const team::InCall in_call(member, function);
    body(member);
  });
}

/// Runs `part(group, member)`, the part of this process in a collective function.
template <class Part>
int take_part(const char* function, MPIX_Sysgroup handle, const Part& part) {
  return called(function, [&](team::Member& member) {
    const auto group = handles().find(handle);
    group->channel().carry([&] { part(group, member); });
  });
}

} // namespace helper::api
