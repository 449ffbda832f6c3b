// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include "group/options.hpp"
#include "team/registry.hpp"
#include "team/team.hpp"

/// What the library knows of this process between MPI_Init and MPI_Finalize: settings, place on the node, the
/// team of the transparent mode.
namespace helper::process {

/// Tells the other processes that this one has the library. Called once, before MPI is initialised; asks
/// nothing of them.
void enter() noexcept;

/// Whether that was called: MPI was initialised by way of this library.
bool entered() noexcept;

/// Begins. Collective over MPI_COMM_WORLD, communicates, unless some of its processes do not have the
/// library: then MPI is left alone, in phases too, and teams are this process's affair. Called once, right
/// after MPI was initialised. Throws std::invalid_argument when a setting is malformed.
void start();

/// Ends the transparent mode and frees what the library holds of MPI. Called by the thread that finalises
/// MPI, right before it does. Returns one line for each team that was not freed; they are forgotten.
std::vector<std::string> stop();

/// True between start() and stop(), and once MPI is initialised where it was not this library that saw it
/// happen.
bool running();

/// How the members of teams of this process are to wait.
team::Waiting waiting();

/// When a team is made: from now on others may announce messages to this process. If MPI is left alone, one
/// process says so, once.
void expect_phases();

/// The placement that MPI_HELPER_PLACEMENT asks for.
std::string placement();

/// What MPI_HELPER_GROUP_ALGORITHM and MPI_HELPER_GROUP_OUTSIDER say.
group::Options group_options();

/// Binds the calling thread, which has just created `handle` of a team of `size`, as `placement` asks, until
/// it frees the handle; a thread that was bound before is left alone. Throws std::invalid_argument when
/// `placement` is malformed.
void place(team::Handle handle, int size, const std::string& placement);

/// For a person, in one line: what of its node this process uses.
std::string describe_place();

/// The member whose phase the calling thread is in: of the team it joined, or in transparent mode of that
/// team. nullptr outside, and where MPI is left alone.
team::Member* present_member();

} // namespace helper::process
