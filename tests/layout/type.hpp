// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace test_support {

/// Makes and commits a datatype, such as Type(PMPI_Type_contiguous, 3, MPI_INT). The destructor frees it.
class Type {
public:
  template <typename Constructor, typename... Arguments>
  explicit Type(Constructor constructor, const Arguments&... arguments) {
    constructor(arguments..., &handle_);
    PMPI_Type_commit(&handle_);
  }
  Type(Type&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)), is_mpis_(other.is_mpis_) {}
  Type& operator=(Type&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(is_mpis_, other.is_mpis_);
    return *this;
  }
  ~Type() {
    if (handle_ != MPI_DATATYPE_NULL && !is_mpis_) MPI_Type_free(&handle_);
  }

  /// Returns a predefined type of MPI, which is not freed.
  static Type predefined(MPI_Datatype handle) {
    Type type;
    type.handle_ = handle;
    type.is_mpis_ = true;
    return type;
  }

  operator MPI_Datatype() const { return handle_; }

private:
  Type() = default;

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool is_mpis_ = false;
};

/// The range of addresses that `count` elements of a type cover, relative to the address of the buffer.
struct Span {
  Span(MPI_Datatype type, int count) {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint last = std::max(count - 1, 0) * extent;
    begin = true_lower + std::min<MPI_Aint>(last, 0);
    end = true_lower + true_extent + std::max<MPI_Aint>(last, 0);
  }

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }

  MPI_Aint begin, end;
};

} // namespace test_support
