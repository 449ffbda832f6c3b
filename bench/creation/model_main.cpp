// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "model/creation.hpp"

namespace {

using model::CreationWay;

void run(int parent, bench::Lines& lines) {
  if ((parent & (parent - 1)) != 0) throw std::runtime_error("the parent is a power of two");
  for (int size = 2; size <= parent; size *= 2)
    for (const CreationWay& way : model::creation_ways()) {
      const model::Created made = model::create(way, parent, size, model::blue_gene);
      lines.add({{"way", way.name},
                 {"collective_over_parent", way.collective_over_parent},
                 {"parent", parent},
                 {"group", size},
                 {"seconds", made.seconds},
                 {"steps", made.steps}});
    }
}

} // namespace

int main(int argc, char** argv) {
  int parent = 8192;
  bench::Program program(
      "creation_model",
      "The time to create a communicator of a group on a simulated Blue Gene/P: Fig. 1 of Dinan et al.,\n"
      "\"Noncollective Communicator Creation in MPI\", and the library's ways and an enrolment.");
  program.add_range("--parent", parent, "Processes of the parent, a power of two", 2, 1 << 15);
  return program.run(argc, argv, [&](bench::Lines& lines) { run(parent, lines); });
}
