// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "topology/cpuset.hpp"

struct hwloc_topology;

namespace helper::topology {

/// A machine consists of packages, NUMA nodes, cores and PUs, as in hwloc. It is constant once made; any
/// thread may call any function.
///
/// The functions that divide a set ignore PUs that the machine lacks. Unless documented otherwise, they
/// return PUs in hwloc's logical order: those of a core, then those of the next core below the same cache,
/// and so on.
class Machine {
public:
  /// Returns this machine. The first call reads its topology (milliseconds). Throws std::system_error.
  static const Machine& local();

  /// Returns a machine that hwloc describes, in XML or as "package:2 numa:1 core:4 pu:2". Binding a thread to
  /// its PUs does nothing. Throws std::invalid_argument.
  static Machine described(const std::string& description);

  /// Returns whether this is the machine that the process runs on. Otherwise binding a thread does nothing.
  bool is_this_system() const noexcept;

  /// Returns a text: the number of objects of each kind, and the version of hwloc.
  std::string summary() const;

  /// Returns the PUs that this process may use: the system allows them (cgroup), and a thread is bound to
  /// them or they are in OpenMP's places: OpenMP may bind the initial thread to one place before main().
  Cpuset usable() const;

  /// Returns the bytes of the second-level cache of a core or of the cores that share it; 0 if unknown.
  std::size_t second_level_cache() const;

  /// Returns each PU of `set`.
  std::vector<Cpuset> pus(const Cpuset& set) const;

  /// Returns the PUs of `set` in each core.
  std::vector<Cpuset> cores(const Cpuset& set) const;

  /// Returns the PUs of `set` in each NUMA node.
  std::vector<Cpuset> numa_nodes(const Cpuset& set) const;

  /// Returns how many PUs of the machine come before the first PU of `set`; 0 if it has no PU of `set`.
  int position(const Cpuset& set) const;

  /// Returns each PU of `set`, with neighbours far apart: in rotation over packages, NUMA nodes, caches and
  /// cores. Second PUs of cores come last.
  std::vector<Cpuset> scattered_pus(const Cpuset& set) const;

  /// Returns each PU of `set`, starting with those that share most of the hierarchy with `place`.
  std::vector<Cpuset> pus_near(const Cpuset& place, const Cpuset& set) const;

  /// Returns the set on which the calling thread may run. Throws std::system_error.
  Cpuset thread_binding() const;

  /// Lets the calling thread run only on `set`. Throws std::system_error.
  void bind_thread(const Cpuset& set) const;

private:
  /// Makes a machine whose topology is not loaded yet.
  Machine();

  std::unique_ptr<hwloc_topology, void (*)(hwloc_topology*)> topology_;
};

/// Returns whether the calling thread is bound already, for example by OpenMP or a launcher, so that the
/// library leaves it alone. `usable`: the PUs that its process, or all ranks of the node, may use.
bool bound_already(const Machine& machine, const Cpuset& usable);

/// Binds the calling thread to `set`. Returns a function with which this thread restores its old binding, if
/// nobody has changed the new one. Both throw std::system_error. `machine` must outlive the function.
std::function<void()> bind_until_undone(const Machine& machine, const Cpuset& set);

} // namespace helper::topology
