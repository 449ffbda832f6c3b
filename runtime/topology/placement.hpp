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

/// Returns the PUs that rank number `rank` of the node may use for itself. given[i] are the PUs on which rank
/// i may run. Ranks with equal sets divide the set into whole neighbouring cores. If there are fewer cores
/// than such ranks, they divide it into PUs. If there are even fewer PUs, they share PUs in rotation.
Cpuset share(const Machine& machine, const std::vector<Cpuset>& given, int rank);

/// Returns the set to which each of a team's `members` is bound; with an empty set the member is not bound.
/// If there are more members than places, members share places in rotation.
std::vector<Cpuset> place(const Machine& machine, const Policy& policy, const Cpuset& usable, int members);

/// Returns the sets to which `count` threads of the library are bound, if the program's threads are bound to
/// `taken`. Each gets one PU of `usable`, in rotation: free PUs first, the nearest to `taken` before others,
/// then PUs of `taken`. If `taken` includes `usable`, no PU is known to be free: each gets all of `usable`.
std::vector<Cpuset> place_beside(const Machine& machine, const Cpuset& taken, const Cpuset& usable,
                                 int count);

/// Returns a line about where the thread of member number `member` may run.
std::string binding_report(int member, const Cpuset& where, bool is_bound);

} // namespace helper::topology
