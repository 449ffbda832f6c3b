// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/transfer.hpp"

#include <array>

#include "pipeline/lane.hpp"
#include "transport/mpi_error.hpp"

namespace helper::collective {

void transfer(const char* operation, team::Member& member, const transport::Shadow& shadow, const void* out,
              void* in, std::size_t bytes, int peer, Message message) {
  const auto check = [&](int code) {
    if (code != MPI_SUCCESS) throw transport::MpiError(shadow.user(), code);
  };
  const int size = static_cast<int>(bytes);
  const int label = tag(message, 0);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (in != nullptr) check(PMPI_Irecv(in, size, MPI_BYTE, peer, label, shadow.comm(), &requests[0]));
  if (out != nullptr) check(PMPI_Isend(out, size, MPI_BYTE, peer, label, shadow.comm(), &requests[1]));
  member.lend_until(
      [&] {
        int done = 0;
        check(PMPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE));
        return done != 0;
      },
      [&] { return pipeline::describe(operation, shadow); });
}

} // namespace helper::collective
