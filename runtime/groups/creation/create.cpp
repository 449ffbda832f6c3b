// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/create.hpp"

#include <optional>
#include <stdexcept>

#include "groups/creation/meeting.hpp"
#include "groups/creation/recursive.hpp"
#include "message/message.hpp"
#include "team/registry.hpp"
#include "transport/communicator.hpp"
#include "transport/mpi_error.hpp"
#include "transport/patience.hpp"

namespace helper::groups::creation {

namespace {

using transport::Communicator;

Communicator create_directly(const Members& members, bool patient, team::Member& waiting) {
  std::optional<team::JumpSafe<transport::Patience>> patience;
  if (patient) patience.emplace(waiting);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(members.comm, members.group, members.tag, &made);
  if (code != MPI_SUCCESS) throw transport::MpiError(MPI_COMM_NULL, code);
  return Communicator(made);
}

} // namespace

Options::Algorithm parse_algorithm(std::string_view text) {
  if (text == "direct") return Options::Algorithm::direct;
  if (text == "recursive") return Options::Algorithm::recursive;
  if (text == "multiway") return Options::Algorithm::multiway;
  throw std::invalid_argument("one of direct, recursive, multiway");
}

Options::Outsider parse_outsider(std::string_view text) {
  if (text == "null") return Options::Outsider::null;
  if (text == "error") return Options::Outsider::error;
  throw std::invalid_argument("null or error");
}

MPI_Comm create(const Members& members, Options::Algorithm algorithm, team::Member* member) {
  if (member != nullptr) message::rescue(); // what follows blocks in MPI
  team::Member& waiting = member != nullptr ? *member : team::alone();
  const bool patient = member != nullptr || algorithm != Options::Algorithm::direct;
  const team::JumpSafe<team::Counted> counted;
  if (patient) meet(members, 0, members.size(), 0, waiting);
  Communicator made = algorithm == Options::Algorithm::recursive ? create_recursively(members, waiting)
                                                                 : create_directly(members, patient, waiting);
  transport::inherit_error_handler(members.comm, made);
  return made.release();
}

} // namespace helper::groups::creation
