// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <utility>

namespace helper::ranks {

/// Holds a communicator and frees it with the object. All processes of the communicator do so together.
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

/// Holds the group of a communicator. The constructor throws MpiError.
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

/// Returns a communicator of the processes of `comm`, in their order, that returns errors. Returns
/// MPI_COMM_NULL if MPI has none left or `comm` is MPI_COMM_NULL. No error handler learns of that, nor,
/// meanwhile, of errors of other threads on `comm`. Attributes and info are not copied. It is collective over
/// `comm`.
MPI_Comm private_copy(MPI_Comm comm);

/// Does so for MPI_COMM_WORLD, whose error handler learns of errors, and is not set: quirk
/// world_handler_spreads.
MPI_Comm private_copy_of_world();

/// Returns a communicator of this process alone, or MPI_COMM_NULL where MPI has none left, or `all` is that.
/// It is made without MPI_COMM_SELF, whose handler must not be set (quirk self_hears_once_set). `all` is one
/// of the library's own, which return errors. It is collective over it: MPI_Comm_create_group takes longer.
MPI_Comm private_copy_of_self(MPI_Comm all);

/// Gives `to` the error handler of `from`, as MPI wants of a communicator that is made of another (MPI-4.0,
/// section 9.3): quirk create_group_drops_handler.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

/// The own rank on a communicator, and its number of ranks. They throw MpiError.
int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// Returns the name of a communicator as MPI knows it, for reports; it is empty if the communicator has none.
/// Only a thread that may call MPI may call it.
inline std::string communicator_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return name;
}

/// Returns a communicator of this process alone, of the library's own, which returns errors; MPI_COMM_NULL if
/// there is none left. It is made of MPI_COMM_SELF at the first call, unless own_is() has said which it is.
/// Any thread that may call MPI may call this.
MPI_Comm own();

/// Takes `self` over as what own() returns, in the place of an earlier one. It is called when the library
/// begins: later a communicator made for this might be given the handle of one that a program has freed and
/// still uses, of which MPI would then not complain.
void own_is(MPI_Comm self);

/// Frees what own() returns. It is called before MPI ends.
void free_own();

/// Elements of a datatype in a buffer.
struct Elements {
  void* base;
  MPI_Count count;
  MPI_Datatype type;
};

/// Copies elements by MPI, by a message to oneself: MPI_Pack refuses MPI_BOTTOM. There may be fewer elements
/// than there is room for. Returns MPI's code. No error handler learns of it. Only a thread that may call MPI
/// may call it.
int copy_by_mpi(const Elements& from, const Elements& to);

} // namespace helper::ranks
