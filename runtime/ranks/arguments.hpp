// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

/// The functions here tell whether native MPI accepts arguments. They ask MPI itself, on a communicator of
/// the library's own, so that no error handler learns of the question. They are local; only a thread that may
/// call MPI may call them.
namespace helper::ranks {

namespace detail {

/// The predefined type of which valid_data() has last accepted data of the calling thread's. It remains
/// valid, so that the next small message of the same need not ask MPI.
struct KnownType {
  MPI_Datatype type{}; ///< so at first, which is none: MPI's names for that are no constants everywhere
  MPI_Count size = 0;
  bool is_simple = false; ///< is no pair, which may have a gap

  bool is_of(const void* buffer, MPI_Count count, MPI_Datatype its) const noexcept {
    return its == type && its != MPI_Datatype{} && buffer != nullptr && count >= 0;
  }
};

inline thread_local constinit KnownType known_type;

} // namespace detail

/// Returns how many bytes the data have, if they are valid, and of the predefined type, no pair, of which
/// valid_data() has last accepted data of the calling thread's: nobody is asked. Nothing otherwise, or if
/// there are too many to be counted.
inline std::optional<MPI_Count> known_bytes(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  const detail::KnownType& known = detail::known_type;
  MPI_Count bytes = 0;
  const bool is_known = known.is_simple && known.is_of(buffer, count, type) &&
                        !__builtin_mul_overflow(count, known.size, &bytes);
  return is_known ? std::optional(bytes) : std::nullopt;
}

/// Returns whether MPI accepts `count` elements of `type` at `buffer`, to be sent or received. MPI_IN_PLACE
/// is no such buffer.
bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type);

/// Returns whether MPI accepts a reduction by `op` of elements of `type`.
bool valid_operation(MPI_Op op, MPI_Datatype type);

/// Returns whether MPI accepts a place for a status, or for an array of them (quirk null_statuses).
inline bool valid_status(const MPI_Status* status) {
  return status != nullptr || status == MPI_STATUS_IGNORE;
}

/// Returns whether MPI accepts a root of an intra-communicator. Throws MpiError when `comm` is not valid, of
/// which its error handler has learned then.
bool valid_root(int root, MPI_Comm comm);

} // namespace helper::ranks
