// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "topology/cpuset.hpp"

struct hwloc_topology;

namespace helper::topology {

/// A machine consists of packages, NUMA nodes, cores and PUs, as hwloc knows them. It is constant once made;
/// any thread may call any function.
///
/// The functions that divide a set ignore PUs that the machine lacks. What they return is in the order of
/// neighbourhood, hwloc's logical order: the PUs of a core, then those of the next core of the same cache,
/// NUMA node and package, and so on; unless they say otherwise.
class Machine {
public:
  /// Returns this machine, which the first call reads (milliseconds). Throws std::system_error.
  static const Machine& local();

  /// Returns an imagined machine, as hwloc describes it: "package:2 numa:1 core:4 pu:2". Binding a thread to
  /// its PUs does nothing. Throws std::invalid_argument.
  static Machine synthetic(const std::string& description);

  /// Returns a machine that hwloc described in XML; otherwise it is like synthetic().
  static Machine from_xml(const std::string& xml);

  /// Returns whether this is the machine that the process runs on. Binding a thread does nothing otherwise.
  bool is_this_system() const noexcept;

  /// Returns a text: how much there is of what, and the source of that information.
  std::string summary() const;

  /// Returns what this process may use: the PUs that the system allows (cgroup) and that any of its threads
  /// is bound to. OpenMP binds the initial thread before main(); so its places count, too.
  Cpuset usable() const;

  /// Returns the bytes of the second-level cache of a core, or of cores that share it; 0 if it is not known.
  std::size_t second_level_cache() const;

  /// Returns each PU of `set`.
  std::vector<Cpuset> pus(const Cpuset& set) const;

  /// Returns what `set` has of each core.
  std::vector<Cpuset> cores(const Cpuset& set) const;

  /// Returns what `set` has of each NUMA node.
  std::vector<Cpuset> numa_nodes(const Cpuset& set) const;

  /// Returns how many PUs of the machine come before all of `set`; 0 if it has none of them.
  int position(const Cpuset& set) const;

  /// Returns each PU of `set`, neighbours far apart: in turn one of each package, of each NUMA node and cache
  /// therein, of each core therein. A core's second PU comes after the first of all other cores.
  std::vector<Cpuset> scattered_pus(const Cpuset& set) const;

  /// Returns each PU of `set`, those that share most of the hierarchy with `place` first.
  std::vector<Cpuset> pus_near(const Cpuset& place, const Cpuset& set) const;

  /// Returns where the calling thread may run. Throws std::system_error.
  Cpuset thread_binding() const;

  /// Lets the calling thread run on `set` only. Throws std::system_error.
  void bind_thread(const Cpuset& set) const;

private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const noexcept;
  };

  /// Makes a topology that has still to be told what to describe.
  Machine();

  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

/// Returns true if somebody bound the calling thread, as OpenMP and launchers do: it may not run everywhere
/// in `usable`, what its process may use (all ranks' together where they share the node). Such a thread is to
/// be left alone.
bool bound_already(const Machine& machine, const Cpuset& usable);

/// A binding of one thread, which can be undone; by no destructor: another thread may run it.
class ThreadBinding {
public:
  /// Binds the calling thread to `set`. Throws std::system_error if the system does not allow it. `machine`
  /// must outlive this object.
  ThreadBinding(const Machine& machine, const Cpuset& set);

  /// Binds the thread as it was before; unless it is no longer as this object bound it, because its owner
  /// moved it in the meantime. The thread that was bound calls it. Throws std::system_error.
  void undo() const;

private:
  const Machine* machine_;
  Cpuset before_;
  Cpuset bound_; // as the system made it: without the PUs that it does not allow
};

} // namespace helper::topology
