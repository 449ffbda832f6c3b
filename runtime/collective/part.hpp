// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <vector>

namespace helper::collective {

/// Reads an array of counts or displacements, as an MPI function or its large-count form is given it.
class Integers {
public:
  template <std::integral Integer>
  // NOLINTNEXTLINE(google-explicit-constructor): callers give it either array
  Integers(const Integer* values) noexcept
      : values_(values), are_long_(sizeof(Integer) == sizeof(MPI_Count)) {
    static_assert(sizeof(Integer) == sizeof(MPI_Count) || sizeof(Integer) == sizeof(int));
  }

  MPI_Count operator[](int index) const noexcept {
    return are_long_ ? static_cast<const MPI_Count*>(values_)[index]
                     : static_cast<const int*>(values_)[index];
  }

private:
  const void* values_;
  bool are_long_;
};

/// A part is the elements in a buffer of the user's that go to one rank, or come from it. By default there
/// are none.
struct Part {
  const void* base = nullptr; ///< the buffer that the user gave; written to if data come into it
  MPI_Aint offset = 0;        ///< where the elements begin in it, in bytes
  MPI_Count count = 0;
  MPI_Datatype type = MPI_BYTE;
  std::size_t bytes = 0; ///< of data

  void* address() const noexcept { return static_cast<std::byte*>(const_cast<void*>(base)) + offset; }

  bool operator==(const Part&) const = default;
};

/// Tells whether native MPI accepts all the parts.
bool acceptable(const std::vector<Part>& parts);

/// Returns the part of `count` elements at `base`.
Part part(const void* base, MPI_Count count, MPI_Datatype type);

/// Returns one part for each of `ranks` ranks: consecutive ones of `count` elements; those that MPI's vector
/// forms describe, with displacements in extents of the type; or those of MPI_Alltoallw, with displacements
/// in bytes.
std::vector<Part> parts(int ranks, const void* base, MPI_Count count, MPI_Datatype type);
std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        MPI_Datatype type);
std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        const MPI_Datatype* types);

} // namespace helper::collective
