// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "native/predefined.hpp"

namespace helper::ranks {

/// Which error handlers get errors of functions that have no communicator as an argument.
enum class Reporting {
  to_world,          ///< the one of MPI_COMM_WORLD: quirk errors_to_world
  by_request,        ///< those of the requests' communicators: quirk errors_by_request
  by_request_or_self ///< as by_request; without a request that of MPI_COMM_SELF: quirk self_hears_once_set
};

/// Returns what this MPI does, judged by its version. Trying it out would set a handler of
/// MPI_COMM_SELF, which cannot be undone (quirk self_hears_once_set). Any thread may call it.
Reporting reporting() noexcept;

/// Returns the communicator whose handler gets errors that concern no known communicator. It is MPI_COMM_SELF
/// only for by_request_or_self, and only if its handler is not MPI_ERRORS_ARE_FATAL, the initial one.
MPI_Comm unnamed_comm() noexcept;

/// Calls the error handler of `comm`. Does nothing for MPI_COMM_WORLD and MPI_COMM_SELF if they do not exist.
inline void report_to(MPI_Comm comm, int code) {
  if ((comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) || native::are_predefined())
    PMPI_Comm_call_errhandler(comm, code);
}

/// An MPI function failed with `code`. If `comm` is MPI_COMM_NULL, MPI has already called an error handler
/// for the error. Otherwise the handler of `comm` must still be called.
class MpiError : public std::exception {
public:
  MpiError(MPI_Comm comm, int code) noexcept : comm_(comm), code_(code) {}

  MPI_Comm comm() const noexcept { return comm_; }
  int code() const noexcept { return code_; }
  const char* what() const noexcept override { return "an MPI function failed"; }

private:
  MPI_Comm comm_;
  int code_;
};

/// Throws MpiError unless `code`, the result of an MPI function, is MPI_SUCCESS.
inline void check(int code, MPI_Comm comm = MPI_COMM_NULL) {
  if (code != MPI_SUCCESS) throw MpiError(comm, code);
}

/// The arguments of ranks do not match, and only this rank has noticed. This rank has taken part in the whole
/// operation anyway, so the team can carry later operations.
class Truncated : public MpiError {
public:
  explicit Truncated(MPI_Comm comm) noexcept : MpiError(comm, MPI_ERR_TRUNCATE) {}
};

/// Returns `call()`. If `call` runs out of memory, throws MpiError with MPI_ERR_NO_MEM for `comm`.
template <class Call>
decltype(auto) charged_to(MPI_Comm comm, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw MpiError(comm, MPI_ERR_NO_MEM);
  }
}

/// Rank `rank` of `comm` gave up the operation in which this rank takes part.
class PeerGaveUp : public std::exception {
public:
  PeerGaveUp(MPI_Comm comm, int rank) noexcept : comm_(comm), rank_(rank) {}

  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  const char* what() const noexcept override { return "another rank gave up"; }

private:
  MPI_Comm comm_;
  int rank_;
};

/// An argument is not accepted. The error handler of the call's communicator gets `error_class`.
class Rejected : public std::invalid_argument {
public:
  Rejected(int error_class, const std::string& text) : std::invalid_argument(text), class_(error_class) {}
  int error_class() const noexcept { return class_; }

private:
  int class_;
};

} // namespace helper::ranks
