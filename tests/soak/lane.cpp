// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "soak/lane.hpp"

namespace soak {
namespace {

Comm copy_of_world() {
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
  return Comm(copy);
}

std::vector<Comm> copies_for_senders() {
  std::vector<Comm> all;
  for (int sender = 0; sender < Comm(MPI_COMM_WORLD).size(); ++sender) all.push_back(copy_of_world());
  return all;
}

} // namespace

Comm copy_of(const Comm& comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_dup(comm, &copy);
  return Comm(copy);
}

Lane::Lane(int lane, bool has_none)
    : number(lane), world(test_support::all_neighbors()), of_senders(copies_for_senders()),
      is_transparent_(has_none) {}

Lane::~Lane() {
  if (group_ != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group_);
  for (const Block& block : blocks) MPI_Free_mem(block.bytes);
}

void Lane::make_team(int size) {
  team_.reset();
  team_.emplace(is_transparent_ ? 0 : size, 1 + number);
}

void Lane::complete(bool all, Draw& own) {
  call(own.coin(), [&] {
    report::require_nothing(transfers.complete_some(all, own));
    for (auto each = later.begin(); each != later.end();) {
      if (!all && own.coin()) {
        ++each;
        continue;
      }
      report::require(MPI_Wait(&each->request, MPI_STATUS_IGNORE) == MPI_SUCCESS,
                      "completion of a collective operation");
      report::require(each->out == each->expected, "result of a non-blocking collective operation");
      each = later.erase(each);
    }
  });
}

test_support::Operation& Lane::operation(std::size_t index) {
  operations();
  return *operations_[index];
}

std::size_t Lane::operations() {
  if (operations_.empty()) operations_ = test_support::operations();
  return operations_.size();
}

test_support::Operation& Lane::probe() {
  if (!probe_) probe_ = test_support::probe();
  return *probe_;
}

MPIX_Sysgroup Lane::group() {
  if (group_ == MPIX_SYSGROUP_NULL)
    report::require(MPIX_Sysgroup_from_comm(world, MPI_INFO_NULL, &group_) == MPI_SUCCESS,
                    "MPIX_Sysgroup_from_comm");
  return group_;
}

} // namespace soak
