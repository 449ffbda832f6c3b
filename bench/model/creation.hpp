// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulation.hpp"

#include <string>
#include <vector>

namespace model {

/// A way to make a communicator of a group, or, by enrolment, a system-ranked group without one, and whether
/// all of the parent's processes take part in it.
struct CreationWay {
  std::string name;
  bool collective_over_parent;
};

const std::vector<CreationWay>& creation_ways();

/// What it took, until the last process was done. The steps are messages of which each had to wait for the
/// one before.
struct Created {
  double seconds;
  std::size_t messages, steps;
};

/// Makes a group of the first `size` of `parent` processes, both powers of two. MPI's own functions send what
/// they do in MPICH: a context id takes a reduction to all of a mask of 256 bytes; what is sent of each
/// process of a group is as there. Of the library's functions it is the messages of their own, too. An
/// enrolment is timed as enrol() does.
Created create(const CreationWay& way, int parent, int size, const Costs& costs);

} // namespace model
