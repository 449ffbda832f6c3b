// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/transfer.hpp"

#include "pipeline/lane.hpp"
#include "transport/mpi_error.hpp"

namespace helper::collective {

void transfer(const char* operation, team::Member& member, const transport::Shadow& shadow, const void* out,
              void* in, std::size_t bytes, int peer, Message message) {
  const int size = static_cast<int>(bytes);
  const int label = tag(message, 0);
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  int failed = MPI_SUCCESS; // the first error; the other message completes all the same, since its buffer
                            // goes with the caller
  const auto note = [&](int code) {
    if (failed == MPI_SUCCESS) failed = code;
  };
  if (in != nullptr) note(PMPI_Irecv(in, size, MPI_BYTE, peer, label, shadow.comm(), &receive));
  if (out != nullptr) note(PMPI_Isend(out, size, MPI_BYTE, peer, label, shadow.comm(), &send));
  if (failed != MPI_SUCCESS && receive != MPI_REQUEST_NULL) PMPI_Cancel(&receive);
  // One by one: MPI_Testall gives errors to the handler of MPI_COMM_WORLD, not to that of the shadow.
  const auto completed = [&](MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return true;
    int done = 0;
    const int code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    note(code);
    return done != 0 || code != MPI_SUCCESS;
  };
  bool received = false;
  bool sent = false;
  member.lend_until(
      [&] {
        received = received || completed(receive);
        sent = sent || completed(send);
        return received && sent;
      },
      [&] { return pipeline::describe(operation, shadow); });
  if (failed != MPI_SUCCESS) throw transport::MpiError(shadow.user(), failed);
}

} // namespace helper::collective
