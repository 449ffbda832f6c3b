// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace helper::layout {

/// Throws Undecodable, unless `code`, the result of a function that describes a type, is MPI_SUCCESS.
void check(int code);

/// Tells whether a type has no constructor, as MPI's own types and the parametrised ones of Fortran.
bool predefined(MPI_Datatype type);

/// This says how a type was made: by which constructor, and with which arguments, in the order of that. It
/// holds the types among them, so that their handles name nothing else as long as this lives. It calls MPI,
/// and throws Undecodable where MPI does not describe the type.
class Contents {
public:
  explicit Contents(MPI_Datatype type);
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  MPI_Datatype of() const noexcept { return of_; }
  int combiner() const noexcept { return combiner_; }

  /// Returns the next argument that is an integer.
  int integer() { return integers_[next_integer_++]; }
  /// Returns the next argument that the large-count constructor takes as a count and the other as an integer.
  MPI_Count number() { return is_large() ? counts_[next_count_++] : integers_[next_integer_++]; }
  /// Returns the next argument that the large-count constructor takes as a count and the other as an address.
  MPI_Count address() { return is_large() ? counts_[next_count_++] : addresses_[next_address_++]; }

  std::size_t count() { return static_cast<std::size_t>(number()); }
  std::vector<std::size_t> counts(std::size_t n);
  std::vector<int> integers(std::size_t n);

  std::span<const MPI_Datatype> types() const noexcept { return types_; }

  /// Frees the memory of all but the types.
  void forget_numbers() noexcept;

private:
  // MPI hands out as counts what a large-count constructor takes as counts, and its addresses.
  bool is_large() const noexcept { return !counts_.empty(); }

  MPI_Datatype of_;
  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Datatype> types_;
  std::size_t next_integer_ = 0;
  std::size_t next_address_ = 0;
  std::size_t next_count_ = 0;
};

} // namespace helper::layout
