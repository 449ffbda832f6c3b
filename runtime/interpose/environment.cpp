// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions with which MPI begins and ends, in both of its models, and the functions for error classes.

#include <mpi.h>

#include <exception>
#include <string>
#include <tuple>
#include <vector>

#include "advice/findings.hpp"
#include "api/errors.hpp"
#include "interpose/name.hpp"
#include "process/models.hpp"
#include "process/process.hpp"
#include "settings/settings.hpp"
#include "shm/traffic.hpp"

namespace {

using namespace helper;
using interpose::name_of;
namespace models = process::models;

/// Returns a text about an error in the library after MPI had done the work of `function`.
std::string text(const char* function, const std::exception& error) {
  return std::string(function) + ": MPI Helper Teams: " + error.what();
}

/// Reports that the library cannot begin because of a setting. Rank 0 reports first, so that the text appears
/// once if the report ends the job. Rank 0 also prints a text that is too long for an error string.
int cannot_begin(const std::string& text) {
  return models::world_fails([&] {
    if (settings::rank_by_launcher() == 0 && text.size() >= MPI_MAX_ERROR_STRING) process::print(text);
    return api::report(MPI_COMM_WORLD, MPI_ERR_OTHER, text);
  });
}

/// Begins the library with the World Model. `Native` initialises MPI.
template <auto Native, class... Arguments>
int begun(Arguments... arguments) {
  constexpr const char* function = name_of<Native>;
  process::enter();
  process::first::enter();
  if (const int code = Native(arguments...); code != MPI_SUCCESS) {
    process::first::leave();
    return code;
  }
  try {
    process::start_alone();
  } catch (const std::exception& error) {
    return cannot_begin(text(function, error));
  }
  try {
    if (advice::is_on()) {
      models::world_stays_native();
      advice::begin();
    } else {
      models::world_began();
    }
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    return api::report(MPI_COMM_WORLD, MPI_ERR_OTHER, text(function, error));
  }
}

/// Reports, as an error, the teams in `left_over`, which were not freed.
int misuse(const char* function, const std::vector<std::string>& left_over) {
  if (left_over.empty()) return MPI_SUCCESS;
  std::string text =
      std::string(function) + ": teams were not freed; call MPI_Helper_team_free in each member:";
  for (const std::string& team : left_over) text += " " + team + ";";
  text.pop_back();
  return api::report(MPI_COMM_WORLD, MPI_ERR_OTHER, text);
}

#if MPI_VERSION >= 4
/// Makes a communicator from groups.
template <auto Native, class... Arguments>
int made_of_groups(Arguments... arguments) {
  process::first::enter();
  if (const int code = Native(arguments...); code != MPI_SUCCESS) {
    process::first::leave();
    return code;
  }
  const MPI_Comm made = *std::get<sizeof...(arguments) - 1>(std::tuple(arguments...));
  try {
    models::made(made);
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    return api::report(made, MPI_ERR_OTHER, text(name_of<Native>, error));
  }
}

/// Reports to the session's error handler that the library cannot begin, and closes the session. Sets the
/// handler again before the report (quirk session_drops_handler).
int refuse(MPI_Session* session, MPI_Errhandler errhandler, const std::exception& error) {
  const int code = api::code(MPI_ERR_OTHER, text("MPI_Session_init", error));
  PMPI_Session_set_errhandler(*session, errhandler);
  PMPI_Session_call_errhandler(*session, code);
  PMPI_Session_finalize(session);
  return code;
}
#endif

} // namespace

#include "interpose/environment.inc"

extern "C" {

int MPI_Finalize() {
  if (advice::is_on()) shm::traffic::forget(); // measured calls have ended requests without counting that
  advice::end();
  const int own = misuse("MPI_Finalize", models::world_ends());
  const int code = PMPI_Finalize();
  return code != MPI_SUCCESS ? code : own;
}

#if MPI_VERSION >= 4
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  process::enter();
  if (const int code = PMPI_Session_init(info, errhandler, session); code != MPI_SUCCESS) return code;
  try {
    models::session_began(*session);
    return MPI_SUCCESS;
  } catch (const std::exception& error) {
    return refuse(session, errhandler, error);
  }
}

int MPI_Session_finalize(MPI_Session* session) {
  if (session == nullptr || *session == MPI_SESSION_NULL) return PMPI_Session_finalize(session);
  const int own = misuse("MPI_Session_finalize", models::session_ends());
  const int code = PMPI_Session_finalize(session);
  return code != MPI_SUCCESS ? code : own;
}

#endif

int MPI_Error_class(int errorcode, int* errorclass) {
  return api::error_class(errorcode, errorclass);
}

} // extern "C"
