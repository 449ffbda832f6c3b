// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "interpose/entry.hpp"

#include <new>
#include <string>

#include "api/errors.hpp"
#include "layout/form.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::interpose {

namespace {

int hand_over(MPI_Comm comm, int code) {
  ranks::report_to(comm, code);
  return code;
}

int report_peer(const ranks::PeerGaveUp& error) {
  try {
    return api::report(error.comm(), MPI_ERR_OTHER,
                       "MPI Helper Teams: rank " + std::to_string(error.rank()) + " of communicator '" +
                           ranks::communicator_name(error.comm()) +
                           "' failed in a collective operation that this rank takes part in");
  } catch (const std::bad_alloc&) {
    return hand_over(error.comm(), MPI_ERR_OTHER); // without a text
  }
}

} // namespace

int report_failure() {
  try {
    throw;
  } catch (const ranks::MpiError& error) {
    return error.comm() == MPI_COMM_NULL ? error.code() : hand_over(error.comm(), error.code());
  } catch (const ranks::PeerGaveUp& error) {
    return report_peer(error);
  } catch (const layout::Undecodable&) { // a type that MPI does not know
    return hand_over(ranks::unnamed_comm(), MPI_ERR_TYPE);
  } catch (const std::bad_alloc&) { // by a function without communicator
    return hand_over(ranks::unnamed_comm(), MPI_ERR_NO_MEM);
  }
}

} // namespace helper::interpose
