// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cpuset.hpp"
#include "topology/machine.hpp"

/// Decides by data alone what is placed where: nothing here asks the system or moves a thread.
namespace helper::topology {

/// How the members of a team are placed on the PUs that their process may use.
struct Policy {
  enum class PolicyKind {
    none,    ///< nobody is bound
    compact, ///< neighbouring PUs, core by core: a core's PUs (SMT) are filled before the next core is begun
    scatter, ///< PUs far apart, over packages, NUMA nodes and cores; a core's second PU comes last
    numa,    ///< each member on all of a NUMA node that may be used, node by node in turn
    list,    ///< the PUs of `list` in ascending order
  };

  PolicyKind kind = PolicyKind::none;
  Cpuset list;
};

/// Returns the policy that a user named: `none`, `compact`, `scatter`, `numa`, or a list of PUs as
/// Cpuset::parse takes it. Throws std::invalid_argument, saying what is accepted, if `text` is none of these,
/// or a list that is empty or not within `allowed`, what the process was given.
Policy parse_policy(std::string_view text, const Cpuset& allowed);

/// Returns what a rank may use for itself, if `given` holds what each rank of the node was given and `rank`
/// is its index therein. Ranks that were given the same set share it out: each gets neighbouring whole cores;
/// if there are fewer cores than ranks, PUs; if there are fewer PUs than ranks, one PU in turn, together with
/// others. A rank whose set no other was given keeps it.
Cpuset share(const Machine& machine, const std::vector<Cpuset>& given, int rank);

/// Returns where each of a team's `members` is to be bound; the empty set means nowhere. If there are more
/// members than places, they share these in turn.
std::vector<Cpuset> place(const Machine& machine, const Policy& policy, const Cpuset& usable, int members);

/// Returns where each of `count` threads that the library starts is to be bound, if the application's are
/// bound to `taken`: a PU of `usable` each, in turn, the nearest free ones first, those in `taken` last. An
/// application that is not bound may be anywhere, so that nothing is known to be free: the threads then get
/// all of `usable`.
std::vector<Cpuset> place_beside(const Machine& machine, const Cpuset& taken, const Cpuset& usable,
                                 int count);

/// Returns true if `threads` that run at the same time, all of them together bound to `usable`, must take
/// turns. For a node, they are the threads of all its ranks, and the union of what these may use.
bool oversubscribed(int threads, const Cpuset& usable);

/// How the place of a member of a team was chosen.
struct Binding {
  int member;       ///< index in the team
  Cpuset where;     ///< where its thread may run
  bool bound_by_us; ///< otherwise left as found
};

/// Returns the bindings for a person to read, a line for each.
std::string binding_report(const std::vector<Binding>& bindings);

} // namespace helper::topology
