// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "topology/thread_binding.hpp"

namespace helper::topology {

bool bound_already(const Machine& machine, const Cpuset& usable) {
  return !machine.thread_binding().includes(usable);
}

ThreadBinding::ThreadBinding(const Machine& machine, const Cpuset& set)
    : machine_(&machine), before_(machine.thread_binding()) {
  machine.bind_thread(set);
  bound_ = machine.thread_binding();
}

void ThreadBinding::undo() const {
  if (machine_->thread_binding() == bound_) machine_->bind_thread(before_);
}

} // namespace helper::topology
