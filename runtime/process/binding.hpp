// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <string>

#include "topology/cpuset.hpp"

/// Binds threads according to a placement. If a thread cannot be bound, prints why, once per node.
namespace helper::process {

/// Binds the calling thread, which the library has started, to `place`. If the system refuses, the thread
/// stays unbound. That is printed if `placement` asked for the place.
void bind_helper(const std::string& placement, const topology::Cpuset& place) noexcept;

/// Binds the calling thread, a member of a team of the program, to `place`. Returns what undoes that. Returns
/// nullptr, and leaves it alone, if the program has bound it, so that it may not run on all of `given`, or
/// the system refuses.
std::function<void()> bind_member(const std::string& placement, const topology::Cpuset& given,
                                  const topology::Cpuset& place);

/// Prints why MPI_HELPER_PLACEMENT, if set, binds nothing in a transparent mode with `helpers` threads
/// started by the library. Prints nothing if it does bind. Threads of OpenMP may help instead.
void say_if_placement_is_unused(const std::string& placement, int helpers, bool by_openmp);

} // namespace helper::process
