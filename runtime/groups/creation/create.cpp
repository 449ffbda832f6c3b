// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/create.hpp"

#include <atomic>
#include <optional>
#include <stdexcept>

#include "groups/creation/steps.hpp"
#include "message/message.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "team/registry.hpp"
#include "transport/patience.hpp"

namespace helper::groups::creation {

namespace {

using ranks::Communicator;
using CreationAlgorithm = Options::CreationAlgorithm;

// Written by start(), the same at all processes of MPI_COMM_WORLD. Relaxed: processes that create a
// communicator together have synchronised with the call of start().
constinit std::atomic<bool> take_turns{false};

/// Returns, alike at all members, whether they meet before MPI makes their communicator: if ranks are
/// oversubscribed, waiting members sleep then, and do not spin in MPI. MPI_COMM_WORLDs may differ in that.
bool must_meet(const Members& members, CreationAlgorithm algorithm, bool in_phase) {
  if (in_phase) return true;
  if (algorithm != CreationAlgorithm::automatic) return algorithm != CreationAlgorithm::direct;
  return take_turns.load(std::memory_order_relaxed) && are_in_one_world(members);
}

Communicator create_directly(const Members& members, bool patient, team::Member& waiting) {
  std::optional<transport::Patience> patience;
  if (patient) patience.emplace(waiting);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(members.comm, members.group, members.tag, &made);
  if (code != MPI_SUCCESS) throw ranks::MpiError(MPI_COMM_NULL, code);
  return Communicator(made);
}

} // namespace

Options::CreationAlgorithm parse_algorithm(std::string_view text) {
  if (text == "auto") return CreationAlgorithm::automatic;
  if (text == "direct") return CreationAlgorithm::direct;
  if (text == "recursive") return CreationAlgorithm::recursive;
  if (text == "multiway") return CreationAlgorithm::multiway;
  throw std::invalid_argument("one of auto, direct, recursive, multiway");
}

bool parse_outsider(std::string_view text) {
  if (text == "null" || text == "error") return text == "error";
  throw std::invalid_argument("null or error");
}

void start(bool oversubscribed) noexcept {
  take_turns.store(oversubscribed, std::memory_order_relaxed);
}

MPI_Comm create(const Members& members, CreationAlgorithm algorithm, team::Member* member) {
  if (member != nullptr) message::rescue(); // the following call blocks in MPI
  team::Member& waiting = member != nullptr ? *member : team::alone();
  const bool patient = must_meet(members, algorithm, member != nullptr);
  const team::Oversubscription::CountedThreads counted(team::uncounted());
  if (patient) meet(members, 0, members.size(), 0, waiting);
  Communicator made = algorithm == CreationAlgorithm::recursive ? create_recursively(members, waiting)
                                                                : create_directly(members, patient, waiting);
  ranks::inherit_error_handler(members.comm, made);
  return made.release();
}

} // namespace helper::groups::creation
