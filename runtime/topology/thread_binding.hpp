// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "topology/cpuset.hpp"
#include "topology/machine.hpp"

namespace helper::topology {

/// Returns true if somebody bound the calling thread, as OpenMP and launchers do: it may not run everywhere
/// in `usable`, what its process may use (all ranks' together where they share the node). Such a thread is to
/// be left alone.
bool bound_already(const Machine& machine, const Cpuset& usable);

/// This is a binding of one thread, which can be undone. No destructor does so, for another thread may run
/// it.
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
