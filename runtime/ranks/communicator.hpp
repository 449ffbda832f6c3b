// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <utility>

namespace helper::ranks {

/// Owns a communicator. The destructor frees it, which is collective over the communicator.
class Communicator {
public:
  Communicator() noexcept = default;
  explicit Communicator(MPI_Comm comm) noexcept : comm_(comm) {}
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  Communicator(Communicator&& other) noexcept : comm_(other.release()) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the handle in calls of MPI
  operator MPI_Comm() const noexcept { return comm_; }
  MPI_Comm release() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Owns the group of a communicator. The constructor throws MpiError.
class Group {
public:
  explicit Group(MPI_Comm comm);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the handle in calls of MPI
  operator MPI_Group() const noexcept { return group_; }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// While an object lives, MPI returns errors on `comm` and calls no handler, since the failing calls are not
/// the user's. One thread at a time may have an object for `comm`: a second object would take
/// MPI_ERRORS_RETURN for the original handler.
class ErrorsReturned {
public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &before_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Returns a copy of `comm` whose error handler is MPI_ERRORS_RETURN; MPI_COMM_NULL if MPI has no
/// communicator left or `comm` is MPI_COMM_NULL. During the call, MPI also returns errors of other threads on
/// `comm`. Attributes and info are not copied. Collective over `comm`.
MPI_Comm private_copy(MPI_Comm comm);

/// Copies MPI_COMM_WORLD like private_copy(), without touching its handler: quirk world_handler_spreads.
MPI_Comm private_copy_of_world();

/// Returns a communicator of this process alone; MPI_COMM_NULL if MPI has no communicator left or `all` is
/// MPI_COMM_NULL. Does not use MPI_COMM_SELF (quirk self_hears_once_set). Collective over `all`, a private
/// communicator, because the local alternative, MPI_Comm_create_group, takes longer.
MPI_Comm private_copy_of_self(MPI_Comm all);

/// Gives `to` the error handler of `from`, as MPI requires for a communicator made from another (MPI-4.0,
/// section 9.3): quirk create_group_drops_handler.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

/// rank_in() returns this process's rank in `comm`, size_of() the number of its ranks. They throw MpiError.
int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// Returns a communicator's name, for reports; may be empty. Only a thread that may call MPI may call it.
inline std::string communicator_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return name;
}

/// Returns a private communicator of this process alone, with MPI_ERRORS_RETURN. It is the one that own_is()
/// set, or else a copy of MPI_COMM_SELF; MPI_COMM_NULL if MPI has none left. Any thread in MPI may call it.
MPI_Comm own();

/// Sets the communicator that own() returns, and takes ownership. Called when the library begins: a later
/// copy could get a handle that the program has freed but still uses. MPI could not report that use.
void own_is(MPI_Comm self);

/// Frees the communicator of own(). Called before MPI ends.
void free_own();

/// Elements of a datatype in a buffer.
struct Elements {
  void* base;
  MPI_Count count;
  MPI_Datatype type;
};

/// Copies elements with MPI, by a message of this process to itself, since MPI_Pack refuses MPI_BOTTOM. `to`
/// may have room for more elements than `from` has. Returns MPI's code; no error handler is called. Only a
/// thread that may call MPI may call it.
int copy_by_mpi(const Elements& from, const Elements& to);

} // namespace helper::ranks
