// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <utility>

namespace helper::ranks {

/// Owns a communicator and frees it. All processes of the communicator must do so together.
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

/// While it lives, errors on `comm` are returned, since the failing calls are not the user's. One thread at a
/// time may have it for a communicator, like the thread of a collective operation: a second would take
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

/// Returns a communicator of the processes of `comm`, in their order, that returns errors; MPI_COMM_NULL if
/// MPI has none left or `comm` is MPI_COMM_NULL. Meanwhile other threads' errors on `comm` are returned as
/// well. Attributes and info are not copied. Collective over `comm`.
MPI_Comm private_copy(MPI_Comm comm);

/// Does so for MPI_COMM_WORLD, whose error handler is not replaced: quirk world_handler_spreads.
MPI_Comm private_copy_of_world();

/// Returns a communicator of this process alone; MPI_COMM_NULL if MPI has none left, or `all` is
/// MPI_COMM_NULL. It does not use MPI_COMM_SELF (quirk self_hears_once_set). Collective over `all`, a private
/// communicator: MPI_Comm_create_group would take longer.
MPI_Comm private_copy_of_self(MPI_Comm all);

/// Gives `to` the error handler of `from`, as MPI requires for a communicator made from another (MPI-4.0,
/// section 9.3): quirk create_group_drops_handler.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

/// Return this process's rank on a communicator, and its number of ranks. Throw MpiError.
int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// Returns a communicator's name, for reports; may be empty. Only a thread that may call MPI may call it.
inline std::string communicator_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return name;
}

/// Returns a private communicator of this process alone, which returns errors; MPI_COMM_NULL if MPI has none
/// left. Unless own_is() has set it, MPI_COMM_SELF is copied. Any thread in MPI may call it.
MPI_Comm own();

/// Sets the communicator that own() returns, and takes ownership, when the library begins. One made later
/// could get a handle that a program has freed and still uses, and MPI would not report that error.
void own_is(MPI_Comm self);

/// Frees the communicator of own(). Called before MPI ends.
void free_own();

/// Elements of a datatype in a buffer.
struct Elements {
  void* base;
  MPI_Count count;
  MPI_Datatype type;
};

/// Copies elements with MPI, by a message to itself, since MPI_Pack refuses MPI_BOTTOM. There may be fewer
/// than there is room for. Returns MPI's code; no error handler is called. Only a thread that may call MPI
/// may call it.
int copy_by_mpi(const Elements& from, const Elements& to);

} // namespace helper::ranks
