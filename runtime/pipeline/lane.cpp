// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/lane.hpp"

#include "transport/communicator_name.hpp"

namespace helper::pipeline {

void Lane::send(const void* data, std::size_t bytes, int peer, int tag) {
  const int code = PMPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, shadow_.comm(),
                              &sends_.emplace_back(MPI_REQUEST_NULL));
  if (code != MPI_SUCCESS) throw transport::MpiError(shadow_.user(), code);
  sending_.add(member_.track(), bytes);
}

void Lane::receive(void* data, std::size_t bytes, int peer, int tag) {
  const int code = PMPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, shadow_.comm(),
                              &receives_.emplace_back(MPI_REQUEST_NULL));
  if (code != MPI_SUCCESS) throw transport::MpiError(shadow_.user(), code);
  receiving_.add(member_.track(), bytes);
}

// One by one: MPI_Testall gives errors to the handler of MPI_COMM_WORLD, not to that of the shadow.
bool Lane::messages_settled(std::vector<MPI_Request>& requests, trace::Transit& transit) {
  while (!requests.empty()) {
    int done = 0;
    const int code = PMPI_Test(&requests.back(), &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) throw transport::MpiError(shadow_.user(), code);
    if (done == 0) return false;
    requests.pop_back();
  }
  transit.arrived(member_.track());
  return true;
}

bool Lane::settled() {
  if (!messages_settled(receives_, receiving_) || !messages_settled(sends_, sending_) ||
      !member_.retire(job_))
    return false;
  job_ = team::WorkList::none;
  return true;
}

void Lane::abandon() noexcept {
  member_.finish(job_);
  job_ = team::WorkList::none;
  for (MPI_Request& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
  for (MPI_Request& request : sends_) {
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }
  receives_.clear();
  sends_.clear();
}

std::string describe(const char* operation, const transport::Shadow& shadow) {
  return std::string("rank ") + std::to_string(shadow.rank()) + " of " + std::to_string(shadow.size()) +
         " waits in " + operation + " on communicator '" + transport::communicator_name(shadow.user()) + "'";
}

} // namespace helper::pipeline
