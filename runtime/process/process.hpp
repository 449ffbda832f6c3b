// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "groups/creation/options.hpp"
#include "settings/settings.hpp"
#include "team/registry.hpp"
#include "team/team.hpp"

/// What the library knows of this process while MPI can be used: settings, place on the node, the
/// team of the transparent mode.
namespace helper::process {

/// Tells the other processes that this one has the library. Before MPI is initialised, by whatever function;
/// acts once. Asks nothing of the others.
void enter() noexcept;

/// Whether that was called: MPI was initialised by way of this library.
bool entered() noexcept;

/// Begins without the other processes, unless it has begun: MPI is left alone, in phases too, and teams are
/// this process's affair. Local. Throws std::invalid_argument when a setting is malformed.
void start_alone();

/// What the library communicates on: two communicators of all processes, and one of this process alone. They
/// return errors.
struct OwnCommunicators {
  MPI_Comm messages;
  MPI_Comm operations;
  MPI_Comm self;
};

/// Begins with all processes, and takes the communicators over; not if MPI had no more of them, at all
/// processes alike. Collective over all processes, after start_alone(), and again after stop().
void start_with(const OwnCommunicators& own);

/// Whether it has begun with all processes. Any thread.
bool begun() noexcept;

/// Reports as MPI_HELPER_REPORT asks, where it does not begin.
void report_alone();

/// Frees what is kept on MPI_COMM_WORLD and MPI_COMM_SELF. Right before MPI_Finalize, if the library goes on.
void leave_predefined();

/// Forgets all teams; returns one line for each that was not freed.
std::vector<std::string> forget_teams();

/// Ends the transparent mode, frees what the library holds of MPI, and leaves MPI alone from now on. Called
/// by the thread that finalises MPI, right before it does. Collective over all processes if it has begun with
/// them.
void stop();

/// Whether MPI can be used, as far as the library knows.
bool running();

/// How the members of teams of this process are to wait.
team::Waiting waiting();

/// The text of a setting that this process goes by; before it has begun, the one it would. Any thread, at any
/// time.
std::string setting(const settings::Variable& variable);

/// When a team is made: from now on others may announce messages to this process. If MPI is left alone, one
/// process says so, once.
void expect_phases();

/// Whether that was called.
bool expects_phases() noexcept;

/// The placement that MPI_HELPER_PLACEMENT asks for.
std::string placement();

/// What MPI_HELPER_GROUP_ALGORITHM and MPI_HELPER_GROUP_OUTSIDER say.
groups::creation::Options group_options();

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
