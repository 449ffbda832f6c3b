// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "api/errors.hpp"
#include "process/process.hpp"
#include "ranks/error_handlers.hpp"
#include "ranks/mpi_error.hpp"
#include "settings/settings.hpp"
#include "team/team.hpp"

/// Helpers of all public functions.
namespace helper::api {

/// Reports the error without a text, because a text would need memory.
inline int report_no_memory(MPI_Comm comm) {
  ranks::report_to(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

/// Runs `body`, which returns an MPI code, and converts exceptions to codes, which are reported to the error
/// handler of MPI_COMM_WORLD. An error handler may leave the function by a jump or an exception.
template <class Body>
int guarded(const char* function, const Body& body) {
  using team::Misuse;
  if (!process::running()) return MPI_ERR_OTHER;
  return ranks::error_handlers::with_handlers_last([&]() -> int {
    try {
      return body();
    } catch (const Misuse& misuse) {
      return report(MPI_COMM_WORLD, misuse.kind() == Misuse::Kind::argument ? MPI_ERR_ARG : MPI_ERR_OTHER,
                    misuse.what());
    } catch (const std::bad_alloc&) {
      return report_no_memory(MPI_COMM_WORLD);
    } catch (const std::exception& error) {
      return report(MPI_COMM_WORLD, MPI_ERR_OTHER, std::string(function) + ": " + error.what());
    }
  });
}

/// Runs `body` as above, for a function on `comm`. Rejected arguments, lack of memory, and MPI errors that no
/// handler has seen go to the error handler of `comm`. MPI_COMM_NULL stands for MPI_COMM_WORLD.
template <class Body>
int guarded(const char* function, MPI_Comm comm, const Body& body) {
  if (comm == MPI_COMM_NULL) comm = MPI_COMM_WORLD;
  return guarded(function, [&]() -> int { // in the MPI ABI, MPI_SUCCESS is an enumerator, no int
    try {
      body();
      return MPI_SUCCESS;
    } catch (const Rejected& rejected) {
      return report(comm, rejected.error_class(), std::string(function) + ": " + rejected.what());
    } catch (const ranks::MpiError& error) {
      if (error.comm() != MPI_COMM_NULL) ranks::report_to(comm, error.code());
      return error.code();
    } catch (const std::bad_alloc&) {
      return report_no_memory(comm);
    }
  });
}

/// Throws if an MPI call has failed. MPI has already called the error handler.
inline void reported(int code) {
  if (code != MPI_SUCCESS) throw ranks::MpiError(MPI_COMM_NULL, code);
}

template <class Value>
void check_pointer(const Value* pointer, const char* name) {
  if (pointer == nullptr) throw Rejected(MPI_ERR_ARG, std::string(name) + " is a null pointer");
}

inline void check_communicator(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Rejected(MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  int is_inter = 0;
  reported(PMPI_Comm_test_inter(comm, &is_inter));
  if (is_inter != 0) throw Rejected(MPI_ERR_COMM, "comm is an inter-communicator");
}

/// Returns a hint of the info object, if present.
inline std::optional<std::string> hint(MPI_Info info, const char* key) {
  if (info == MPI_INFO_NULL) return std::nullopt;
  std::string value(MPI_MAX_INFO_VAL, '\0');
  int is_set = 0;
  PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value.data(), &is_set);
  return is_set != 0 ? std::optional<std::string>(value.c_str()) : std::nullopt;
}

/// Returns `parse` of a hint, or `fallback` without one. Throws Rejected if `parse` throws
/// std::invalid_argument, whose text lists the accepted values.
template <class Value>
Value hint(MPI_Info info, const char* key, Value fallback, Value (*parse)(std::string_view)) {
  const auto text = hint(info, key);
  if (!text) return fallback;
  try {
    return settings::parsed(key, *text, parse);
  } catch (const std::invalid_argument& malformed) {
    throw Rejected(MPI_ERR_INFO_VALUE, malformed.what());
  }
}

} // namespace helper::api
