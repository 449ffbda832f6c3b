// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace helper::reduction {

/// Functions of this type compute out[i] = lower[i] op upper[i] for `count` elements, where `lower` is the
/// operand of the lower rank. `out` may be exactly `lower` or exactly `upper`; otherwise it overlaps neither.
/// Elements may lie at any byte address. Gaps within elements are left as they are in `out`. Any thread may
/// call them; they do not call MPI, block or allocate.
using Combine = void (*)(const void* lower, const void* upper, void* out, std::size_t count) noexcept;

struct Kernel {
  Combine combine;
  std::size_t element_size; ///< from one element to the next in bytes, gaps included (MPI_DOUBLE_INT: 16)
};

/// Returns the kernel for a predefined operation on a predefined type, made for this processor; results do
/// not depend on which processor that is. They equal those of MPI_Reduce_local bit for bit, but for which of
/// several NaNs a sum or product yields, and for how complex products are rounded where MPI was compiled to
/// fuse products with sums, as on AArch64. It is thread-safe, and does not block or communicate. MPI must be
/// initialised.
///
/// It returns nothing, so that the call goes native, if the operation is user-defined, MPI_REPLACE or
/// MPI_NO_OP, if MPI rejects the pair, or if an MPI takes it on but not as MPI defines it (quirk
/// reduces_unlike_mpi): MPI_MAX and MPI_MIN of unsigned types, anything on MPI_REAL16, logical operations on
/// floating-point types, which MPI leaves undefined.
std::optional<Kernel> find(MPI_Op op, MPI_Datatype type);

} // namespace helper::reduction
