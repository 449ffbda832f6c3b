// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace helper::reduction {

/// A function that computes out[i] = lower[i] op upper[i] for `count` elements. `lower` is the operand of the
/// lower rank. `out` may be exactly `lower` or exactly `upper`; otherwise it overlaps neither. Elements may
/// be at any byte address. Gaps within elements of `out` are not written. Any thread may call it; it does not
/// call MPI, block or allocate.
using Combine = void (*)(const void* lower, const void* upper, void* out, std::size_t count) noexcept;

struct Kernel {
  Combine combine;
  std::size_t element_size; ///< bytes from one element to the next, including gaps (MPI_DOUBLE_INT: 16)
};

/// Returns the kernel for a predefined operation on a predefined type, compiled for this processor. Results
/// do not depend on the processor. They equal those of MPI_Reduce_local in all bits, except: which of
/// several NaNs a sum or product yields, and the rounding of complex products if MPI was compiled to fuse
/// products with sums, as on AArch64. Thread-safe; does not block or communicate. MPI must be initialised.
///
/// Returns nothing, so that the call is native, in these cases:
/// - The operation is user-defined, MPI_REPLACE or MPI_NO_OP.
/// - MPI rejects the pair.
/// - An MPI accepts the pair but does not follow MPI's definition (quirk reduces_unlike_mpi): MPI_MAX and
/// MPI_MIN of unsigned types, anything on MPI_REAL16, logical operations on floating-point types, which MPI
/// leaves undefined.
std::optional<Kernel> find(MPI_Op op, MPI_Datatype type);

/// Returns whether the operation is not user-defined.
bool is_predefined(MPI_Op op);

} // namespace helper::reduction
