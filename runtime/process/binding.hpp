// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>

#include "topology/cpuset.hpp"
#include "topology/machine.hpp"

/// Binds threads as a placement asks. Whatever keeps the library from that is printed once per node.
namespace helper::process {

/// Binds the calling thread, which the library has started, to `place`. If the system refuses, the thread
/// works where it is, which is printed if `placement` asked for the place.
void bind_helper(const std::string& placement, const topology::Cpuset& place) noexcept;

/// Binds the calling thread, a member of a team that the program has made, to `place`. Returns nothing if the
/// thread stays as it is: the program has bound it already, so that it may not run everywhere in `given`, or
/// the system refuses.
std::optional<topology::ThreadBinding>
bind_member(const std::string& placement, const topology::Cpuset& given, const topology::Cpuset& place);

/// Prints why MPI_HELPER_PLACEMENT, if it is set, binds nothing in a transparent mode with this many threads
/// started by the library, if so. Threads of OpenMP may help instead.
void say_if_placement_is_unused(const std::string& placement, int helpers, bool by_openmp);

} // namespace helper::process
