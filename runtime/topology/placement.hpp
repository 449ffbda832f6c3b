// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cpuset.hpp"
#include "topology/machine.hpp"

/// Decides where members are placed, from data only: nothing here asks the system or moves a thread.
namespace helper::topology {

/// How the members of a team are placed on the PUs that their process may use.
struct Policy {
  enum class PolicyKind {
    none,    ///< nobody is bound
    compact, ///< neighbouring PUs, core by core: all PUs of a core (SMT) before the next core
    scatter, ///< PUs far apart, over packages, NUMA nodes and cores; second PUs of cores come last
    numa,    ///< each member on all usable PUs of a NUMA node, the nodes in rotation
    list,    ///< the PUs of `list` in ascending order
  };

  PolicyKind kind = PolicyKind::none;
  Cpuset list;
};

/// Returns the policy of that name: `none`, `compact`, `scatter`, `numa`, or a list of PUs of `allowed` in
/// the form of Cpuset::parse. Throws std::invalid_argument, whose text lists what is accepted.
Policy parse_policy(std::string_view text, const Cpuset& allowed);

/// Returns the PUs that a rank may use for itself. `given` has those of each rank of the node, `rank` is its
/// index. A set that one rank was given is its own. Several ranks divide theirs into whole neighbouring
/// cores; with fewer cores than ranks, into PUs; with fewer PUs than ranks, they share PUs, in rotation.
Cpuset share(const Machine& machine, const std::vector<Cpuset>& given, int rank);

/// Returns the set to which each of a team's `members` is bound; an empty set means nowhere. If there are
/// more members than places, members share places in rotation.
std::vector<Cpuset> place(const Machine& machine, const Policy& policy, const Cpuset& usable, int members);

/// Returns the sets to which `count` threads started by the library are bound, if those of the application
/// are bound to `taken`: one PU of `usable` each, in rotation, the nearest free ones first, those in `taken`
/// last. If the application is not bound, no PU is known to be free: then all of `usable`.
std::vector<Cpuset> place_beside(const Machine& machine, const Cpuset& taken, const Cpuset& usable,
                                 int count);

/// Returns a line about where the thread of that member may run, bound by the team or left as found.
std::string binding_report(int member, const Cpuset& where, bool is_bound);

} // namespace helper::topology
