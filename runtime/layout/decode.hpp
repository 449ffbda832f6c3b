// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/form.hpp"

namespace helper::layout {

/// Returns whether a type has no constructor, like MPI's named types and Fortran's parametrised types.
bool predefined(MPI_Datatype type);

/// The first basic elements of a packed stream: as few as have at least `enough` bytes together.
class Head {
public:
  static constexpr std::size_t enough = 64;

  Head() = default;

  /// Makes the head of an element of `size` bytes. `keeps_bytes`: MPI delivers exactly the bytes sent.
  Head(std::size_t size, bool keeps_bytes);

  /// Appends the head of another stream `count` times.
  void add(const Head& next, std::size_t count);

  /// Returns the smallest number of bytes, at least `enough`, after which an element ends. Returns 0 if the
  /// stream is shorter, or if one of these elements may arrive with other bytes than were sent.
  std::size_t bytes() const noexcept { return bytes_ >= enough && keeps_bytes_ ? bytes_ : 0; }

private:
  bool is_known() const noexcept { return bytes_ >= enough || !keeps_bytes_; }

  std::vector<std::uint8_t> sizes_; // of the elements; every predefined type has at most 255 bytes
  std::size_t bytes_ = 0;           // of all elements together
  bool keeps_bytes_ = true;         // false: the last element may arrive with other bytes
};

/// A decoded datatype.
struct Decoded {
  Placed form; ///< of one element
  MPI_Count extent;
  Head head; ///< of one element
  /// The predefined type of all data; MPI_DATATYPE_NULL if there are several or none.
  MPI_Datatype basic = MPI_DATATYPE_NULL;
};

/// Decodes a datatype. Calls MPI. Time and memory are proportional to MPI's descriptions of the type and of
/// the types that it was made of. The stack does not grow with their nesting. Throws Undecodable if MPI
/// rejects the type, and for unsupported constructors, too many types, and forms that are too large or deep.
Decoded decode(MPI_Datatype type);

} // namespace helper::layout
