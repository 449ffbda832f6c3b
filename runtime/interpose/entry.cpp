// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "interpose/entry.hpp"

#include <dlfcn.h>

#include <new>
#include <string>

#include "api/errors.hpp"
#include "transport/communicator.hpp"
#include "transport/mpi_error.hpp"

namespace helper::interpose {

namespace {

int hand_over(MPI_Comm comm, int code) {
  transport::report_to(comm, code);
  return code;
}

int report_peer(const transport::PeerGaveUp& error) {
  try {
    return api::report(error.comm(), MPI_ERR_OTHER,
                       "MPI Helper Teams: rank " + std::to_string(error.rank()) + " of communicator '" +
                           transport::communicator_name(error.comm()) +
                           "' failed in a collective operation that this rank takes part in");
  } catch (const std::bad_alloc&) {
    return hand_over(error.comm(), MPI_ERR_OTHER); // without a text
  }
}

} // namespace

int report_failure() {
  try {
    throw;
  } catch (const transport::MpiError& error) {
    return error.comm() == MPI_COMM_NULL ? error.code() : hand_over(error.comm(), error.code());
  } catch (const transport::PeerGaveUp& error) {
    return report_peer(error);
  } catch (const std::bad_alloc&) { // by a function without communicator
    return hand_over(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
  }
}

} // namespace helper::interpose

extern "C" {

// MPICH over UCX calls this function until what it waits for has come. It is here, in a file that every entry
// needs, so that it is in programs with the static library, too. It is declared as in UCX's headers, which
// need not be there.
unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  using helper::transport::Patience;
  static const auto next =
      reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress")); // UCX's own
  const unsigned made = next(worker);
  if (Patience* const patience = Patience::of_this_thread()) [[unlikely]] {
    if (made != 0)
      patience->progressed();
    else
      patience->in_vain();
  }
  return made;
}

} // extern "C"
