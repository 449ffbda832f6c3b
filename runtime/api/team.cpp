// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The team interface of mpi_helper.h.

#include "mpi_helper.h"

#include <exception>
#include <stdexcept>
#include <string>

#include "api/errors.hpp"
#include "process/process.hpp"
#include "team/misuse.hpp"
#include "team/registry.hpp"

namespace {

using helper::api::report;
using helper::team::Misuse;

/// Runs `body` and turns what it throws into an MPI error, reported to the error handler of MPI_COMM_WORLD.
template <class Body>
int guarded(const char* function, const Body& body) noexcept {
  if (!helper::process::running()) return MPI_ERR_OTHER;
  try {
    body();
    return MPI_SUCCESS;
  } catch (const Misuse& misuse) {
    return report(MPI_COMM_WORLD, misuse.kind() == Misuse::Kind::argument ? MPI_ERR_ARG : MPI_ERR_OTHER,
                  misuse.what());
  } catch (const std::bad_alloc&) {
    return report(MPI_COMM_WORLD, MPI_ERR_NO_MEM, std::string(function) + ": out of memory");
  } catch (const std::exception& error) {
    return report(MPI_COMM_WORLD, MPI_ERR_OTHER, std::string(function) + ": " + error.what());
  }
}

/// A hint of the info object, or `fallback`.
std::string hint(MPI_Info info, const char* key, const std::string& fallback) {
  if (info == MPI_INFO_NULL) return fallback;
  std::string value(MPI_MAX_INFO_VAL, '\0');
  int is_set = 0;
  PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value.data(), &is_set);
  return is_set != 0 ? value.c_str() : fallback;
}

int create(const char* function, int team_id, int team_size, MPI_Info info, MPI_Helper_team* team) {
  int code = MPI_SUCCESS;
  const int outcome = guarded(function, [&] {
    if (team == nullptr)
      throw Misuse(Misuse::Kind::argument, std::string(function) + ": team is a null pointer");
    const std::string placement = hint(info, "mpi_helper_placement", helper::process::placement());
    const int handle = helper::team::create(team_id, team_size, helper::process::waiting(team_size));
    try {
      helper::process::place(handle, team_size, placement);
    } catch (const std::invalid_argument& malformed) {
      helper::team::free(handle);
      code = report(MPI_COMM_WORLD, MPI_ERR_INFO_VALUE,
                    std::string(function) + ": placement: " + malformed.what());
      return;
    } catch (...) {
      helper::team::free(handle);
      throw;
    }
    *team = handle;
  });
  return code != MPI_SUCCESS ? code : outcome;
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
  });
}

int MPI_Helper_join(MPI_Helper_team team) {
  return guarded("MPI_Helper_join", [&] { helper::team::join(team); });
}

int MPI_Helper_leave(MPI_Helper_team team) {
  return guarded("MPI_Helper_leave", [&] { helper::team::leave(team); });
}

int MPI_Helper_fence(MPI_Helper_team team) {
  return guarded("MPI_Helper_fence", [&] { helper::team::fence(team); });
}

} // extern "C"
