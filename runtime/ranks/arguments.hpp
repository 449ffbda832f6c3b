// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

/// Functions that find out whether native MPI accepts arguments. They ask MPI on a private communicator, so
/// that no error handler is called. They are local. Only a thread that may call MPI may call them.
namespace helper::ranks {

namespace detail {

/// The last predefined type that valid_data() accepted on the calling thread. Predefined types stay valid, so
/// the library need not ask MPI again about data of this type.
struct KnownType {
  MPI_Datatype type{}; ///< initially none; in some MPIs MPI_DATATYPE_NULL is not a constant
  MPI_Count size = 0;
  bool is_simple = false; ///< false for pair types such as MPI_DOUBLE_INT, which may have a gap

  bool is_of(const void* buffer, MPI_Count count, MPI_Datatype its) const noexcept {
    return its == type && its != MPI_Datatype{} && buffer != nullptr && count >= 0;
  }
};

inline thread_local constinit KnownType known_type;

} // namespace detail

/// Returns the size of the data in bytes, if `type` is the predefined type that valid_data() last accepted on
/// this thread. Returns nothing for other types, pair types, invalid data, and sizes that MPI cannot count.
inline std::optional<MPI_Count> known_bytes(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  const detail::KnownType& known = detail::known_type;
  MPI_Count bytes = 0;
  const bool is_known = known.is_simple && known.is_of(buffer, count, type) &&
                        !__builtin_mul_overflow(count, known.size, &bytes);
  return is_known ? std::optional(bytes) : std::nullopt;
}

/// Returns whether MPI accepts these data for sending or receiving. MPI_IN_PLACE is not valid here.
bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Returns whether MPI accepts a reduction by `op` of elements of `type`.
bool valid_operation(MPI_Op op, MPI_Datatype type);

/// Returns whether MPI accepts the address of a status, or of an array of statuses (quirk null_statuses).
inline bool valid_status(const MPI_Status* status) {
  return status != nullptr || status == MPI_STATUS_IGNORE;
}

/// Returns whether MPI accepts `root` on the intra-communicator `comm`. If `comm` is not valid, MPI calls an
/// error handler, and this function throws MpiError.
bool valid_root(int root, MPI_Comm comm);

} // namespace helper::ranks
