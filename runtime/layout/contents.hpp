// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "layout/decode.hpp"
#include "native/large_counts.hpp"

namespace helper::layout {

/// Throws Undecodable if `code`, returned by an MPI call that describes a datatype, is an error.
inline void check(int code) {
  if (code != MPI_SUCCESS) throw Undecodable("MPI does not describe the datatype");
}

/// What MPI_Type_get_envelope returns for a type. The other members are unset if `code` is an error.
struct Envelope {
  explicit Envelope(MPI_Datatype type) noexcept
      : code(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner)) {}

  bool has_constructor() const noexcept {
    switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return false;
    default:
      return true;
    }
  }

  MPI_Count integers, addresses, counts, types;
  int combiner;
  int code;
};

template <class Item>
std::vector<Item> room(MPI_Count items) {
  return std::vector<Item>(static_cast<std::size_t>(items));
}

/// The MPI constructor of a type and its arguments. Owns the arguments that are types, so that MPI reuses no
/// handle of them while this object lives. Calls MPI. Throws Undecodable if MPI does not describe the type.
class Contents {
public:
  explicit Contents(MPI_Datatype type) : of_(type) {
    const Envelope envelope(type);
    check(envelope.code);
    combiner_ = envelope.combiner;
    integers_ = room<int>(envelope.integers);
    addresses_ = room<MPI_Aint>(envelope.addresses);
    counts_ = room<MPI_Count>(envelope.counts);
    auto types = room<MPI_Datatype>(envelope.types);
    check(PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                                   envelope.types, integers_.data(), addresses_.data(), counts_.data(),
                                   types.data()));
    types_ = std::move(types);
  }
  ~Contents() {
    for (MPI_Datatype& type : types_) {
      const Envelope envelope(type);
      if (envelope.code == MPI_SUCCESS && envelope.has_constructor()) PMPI_Type_free(&type);
    }
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  MPI_Datatype of() const noexcept { return of_; }
  int combiner() const noexcept { return combiner_; }

  int integer() { return integers_[next_integer_++]; }
  /// Returns the next of the arguments that are counts in large-count constructors, and integers in others.
  MPI_Count number() { return is_large() ? counts_[next_count_++] : integers_[next_integer_++]; }
  /// Returns the next of the arguments that are counts in large-count constructors, and addresses in others.
  MPI_Count address() { return is_large() ? counts_[next_count_++] : addresses_[next_address_++]; }

  std::size_t count() { return static_cast<std::size_t>(number()); }
  std::vector<std::size_t> counts(std::size_t n) {
    std::vector<std::size_t> list(n);
    for (std::size_t& item : list) item = count();
    return list;
  }
  std::vector<int> integers(std::size_t n) {
    std::vector<int> list(n);
    for (int& item : list) item = integer();
    return list;
  }

  std::span<const MPI_Datatype> types() const noexcept { return types_; }
  /// Returns the next of types(); nullptr after the last.
  const MPI_Datatype* next_type() noexcept {
    return next_type_ == types_.size() ? nullptr : &types_[next_type_++];
  }

  /// Frees the memory of all arguments except the types.
  void forget_numbers() noexcept {
    integers_ = {};
    addresses_ = {};
    counts_ = {};
  }

private:
  // For a large-count constructor MPI returns counts instead of integers and addresses.
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
  std::size_t next_type_ = 0;
};

} // namespace helper::layout
