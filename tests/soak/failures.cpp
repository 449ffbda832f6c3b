// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "errors/faults.hpp"
#include "soak/plan.hpp"

// Lets functions that the library calls fail, as in errors.injection, among other traffic.

namespace soak {
namespace {

using namespace test_support;
using report::require;

struct Outcome {
  int code;
  bool has_fired;
};

Outcome run(Lane& lane, Operation& operation, const Comm& comm, const Fault& fault) {
  operation.fill(comm);
  Outcome outcome{MPI_ERR_OTHER, false};
  lane.call(true, [&] {
    Injected injected(fault);
    outcome.code = operation(comm);
    injected.remove();
    outcome.has_fired = injected.fired();
  });
  return outcome;
}

void must_work(Lane& lane, Operation& operation, const Comm& comm) {
  const Outcome outcome = run(lane, operation, comm, {});
  require(outcome.code == MPI_SUCCESS, std::string("an error of ") + operation.name + " after a failure");
  require(operation.right(comm), std::string("the result of ") + operation.name + " after a failure");
}

bool is_expected(const Outcome& outcome, const Fault& fault) {
  const int error_class = class_of(outcome.code);
  const int of_fault = fault.function == "operator new" ? MPI_ERR_NO_MEM : injected_class;
  return error_class == MPI_ERR_OTHER || (outcome.has_fired && error_class == of_fault);
}

/// Lets a carried operation fail at one rank. It must end at all ranks that wait for that rank, and
/// everything else must go on.
void failure(Lane& lane, Draw& shared, Draw&) {
  Operation& operation =
      lane.operation(static_cast<std::size_t>(shared.upto(static_cast<int>(lane.operations()) - 1)));
  const int culprit = shared.upto(lane.ranks - 1);
  Fault fault{shared.of({"operator new", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test"}), 1 + shared.upto(9)};
  fault.made_of = MPI_COMM_WORLD; // spares the messages of lanes, on which any thread makes progress
  if (!operation.carried) return;
  const Comm comm = copy_of(lane.world);
  must_work(lane, lane.probe(), comm); // agreeing on a shadow cannot report a failure
  if (lane.rank != culprit) fault = {};
  const Outcome outcome = run(lane, operation, comm, fault);
  if (outcome.code == MPI_SUCCESS)
    require(operation.right(comm), std::string("the result of ") + operation.name);
  else
    require(is_expected(outcome, fault), std::string("another error of ") + operation.name);
  int counts[] = {outcome.code != MPI_SUCCESS ? 1 : 0, outcome.has_fired ? 1 : 0};
  PMPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, comm);
  const auto [failed, met] = counts;
  require(met != 0 || failed == 0, std::string("an error of ") + operation.name + ", though nothing failed");
  if (failed == lane.ranks) must_work(lane, operation, comm);
  if (failed != 0) must_work(lane, lane.probe(), lane.world);
  PMPI_Barrier(comm); // the messages of ranks that gave up have arrived
}

} // namespace

std::vector<Kind> failures() {
  return {{"failure", 8, failure, true}};
}

} // namespace soak
