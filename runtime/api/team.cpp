// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The team interface of mpi_helper.h.

#include "mpi_helper.h"

#include <array>
#include <mutex>
#include <stdexcept>
#include <string>

#include "api/guarded.hpp"
#include "lifetime/at_end.hpp"
#include "message/message.hpp"
#include "process/models.hpp"
#include "process/notices.hpp"
#include "process/state.hpp"
#include "settings/settings.hpp"
#include "team/registry.hpp"

namespace {

using helper::api::guarded;
using helper::api::hint;
using helper::api::report;
using helper::team::Misuse;

/// In a phase, waits until no other process waits for operations that the calling thread has started.
void settle() {
  if (helper::team::Member* const member = helper::team::presence.member()) helper::message::settle(*member);
}

/// Returns the placement that the hints ask for. The mutex is needed because threads create a team together
/// at every thread level, and some MPIs read info objects safely only at MPI_THREAD_MULTIPLE.
std::string placement_of(const char* function, MPI_Info info) {
  static std::mutex reading;
  const std::lock_guard lock(reading);
  helper::process::say_unread_keys(function, info, std::array{"mpi_helper_placement"});
  return hint(info, "mpi_helper_placement").value_or(helper::process::current().settings.placement);
}

int create(const char* function, int team_id, int team_size, MPI_Info info, MPI_Helper_team* team) {
  return guarded(function, [&]() -> int {
    if (team == nullptr)
      throw Misuse(Misuse::Kind::argument, std::string(function) + ": team is a null pointer");
    const std::string placement = placement_of(function, info);
    helper::process::first::enter();
    const helper::lifetime::AtEnd leaving(helper::process::first::leave);
    const int handle = helper::team::create(team_id, team_size, helper::process::waiting());
    try {
      helper::settings::parsed("mpi_helper_placement", placement, [&](const std::string& policy) {
        helper::process::place(handle, team_size, policy);
      });
    } catch (const std::invalid_argument& malformed) {
      helper::team::free(handle);
      return report(MPI_COMM_WORLD, MPI_ERR_INFO_VALUE, std::string(function) + ": " + malformed.what());
    } catch (...) {
      helper::team::free(handle);
      throw;
    }
    helper::process::expect_phases();
    *team = handle;
    return MPI_SUCCESS;
  });
}

} // namespace

extern "C" {

int MPI_Helper_team_create(int team_id, int team_size, MPI_Helper_team* team) {
  return create("MPI_Helper_team_create", team_id, team_size, MPI_INFO_NULL, team);
}

int MPIX_Helper_team_create_info(int team_id, int team_size, MPI_Info info, MPI_Helper_team* team) {
  return create("MPIX_Helper_team_create_info", team_id, team_size, info, team);
}

int MPI_Helper_team_free(MPI_Helper_team* team) {
  return guarded("MPI_Helper_team_free", [&] {
    if (team == nullptr) throw Misuse(Misuse::Kind::argument, "MPI_Helper_team_free: team is a null pointer");
    helper::team::free(*team);
    *team = MPI_HELPER_TEAM_NULL;
    return MPI_SUCCESS;
  });
}

int MPI_Helper_join(MPI_Helper_team team) {
  return guarded("MPI_Helper_join", [&] {
    helper::team::join(team);
    return MPI_SUCCESS;
  });
}

int MPI_Helper_leave(MPI_Helper_team team) {
  return guarded("MPI_Helper_leave", [&] {
    settle();
    helper::team::leave(team);
    return MPI_SUCCESS;
  });
}

int MPI_Helper_fence(MPI_Helper_team team) {
  return guarded("MPI_Helper_fence", [&] {
    settle();
    helper::team::fence(team);
    return MPI_SUCCESS;
  });
}

int MPIX_Helper_version(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = MPIX_HELPER_VERSION_MAJOR;
  if (minor != nullptr) *minor = MPIX_HELPER_VERSION_MINOR;
  if (patch != nullptr) *patch = MPIX_HELPER_VERSION_PATCH;
  return MPI_SUCCESS;
}

} // extern "C"
