// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

#include <string>
#include <vector>

namespace model {

/// A way to make a communicator of a group, or a system-ranked group by enrolment.
struct CreationWay {
  std::string name;
  bool collective_over_parent;
};

const std::vector<CreationWay>& creation_ways();

/// The result, when the last process is done. `steps` is the longest chain of messages that wait for one
/// another.
struct Created {
  double seconds;
  std::size_t messages, steps;
};

/// Makes a group of the first `size` of `parent` processes, both powers of two. Functions of MPI send the
/// messages that MPICH sends: an allreduce of a mask of 256 bytes for a context id, and the same data for
/// each process of a group. The library's functions in addition send their own messages. An enrolment is
/// timed like enrol().
Created create(const CreationWay& way, int parent, int size, const Costs& costs);

} // namespace model
