// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/create.hpp"

#include <optional>

#include "groups/creation/meeting.hpp"
#include "groups/creation/recursive.hpp"
#include "groups/creation/turn.hpp"
#include "message/message.hpp"
#include "team/registry.hpp"
#include "transport/mpi_error.hpp"
#include "transport/patience.hpp"
#include "transport/private_copy.hpp"

namespace helper::groups::creation {

namespace {

using transport::Communicator;

Communicator create_directly(const Members& members) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(members.comm, members.group, members.tag, &made);
  if (code != MPI_SUCCESS) throw transport::MpiError(MPI_COMM_NULL, code);
  return Communicator(made);
}

} // namespace

MPI_Comm create(const Members& members, Options::Algorithm algorithm, team::Member* member) {
  if (member != nullptr) message::rescue(); // what follows blocks in MPI
  team::Member& waiting = member != nullptr ? *member : team::alone();
  const bool is_recursive = algorithm == Options::Algorithm::recursive;
  const bool patient = member != nullptr || algorithm != Options::Algorithm::direct;
  const team::JumpSafe<team::Counted> counted;
  std::optional<team::JumpSafe<Turn>> turn;
  std::optional<team::JumpSafe<transport::Patience>> patience;
  if (patient) meet(members, 0, members.size(), 0, waiting);
  if (is_recursive) turn.emplace(members, waiting);
  if (patient) patience.emplace(waiting);
  Communicator made = is_recursive ? create_recursively(members, waiting) : create_directly(members);
  transport::inherit_error_handler(members.comm, made);
  return made.release();
}

} // namespace helper::groups::creation
