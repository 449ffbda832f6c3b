// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/contents.hpp"

#include "layout/form.hpp"
#include "native/large_counts.hpp"

namespace helper::layout {

void check(int code) {
  if (code != MPI_SUCCESS) throw Undecodable("MPI does not describe the datatype");
}

namespace {

/// Has MPI's code and, if that is MPI_SUCCESS, what MPI says of the type.
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

} // namespace

bool predefined(MPI_Datatype type) {
  const Envelope envelope(type);
  check(envelope.code);
  return !envelope.has_constructor();
}

Contents::Contents(MPI_Datatype type) : of_(type) {
  const Envelope envelope(type);
  check(envelope.code);
  combiner_ = envelope.combiner;
  integers_ = room<int>(envelope.integers);
  addresses_ = room<MPI_Aint>(envelope.addresses);
  counts_ = room<MPI_Count>(envelope.counts);
  auto types = room<MPI_Datatype>(envelope.types);
  check(PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                                 integers_.data(), addresses_.data(), counts_.data(), types.data()));
  types_ = std::move(types);
}

Contents::~Contents() {
  for (MPI_Datatype& type : types_) {
    const Envelope envelope(type);
    if (envelope.code == MPI_SUCCESS && envelope.has_constructor()) PMPI_Type_free(&type);
  }
}

std::vector<std::size_t> Contents::counts(std::size_t n) {
  std::vector<std::size_t> list(n);
  for (std::size_t& item : list) item = count();
  return list;
}

std::vector<int> Contents::integers(std::size_t n) {
  std::vector<int> list(n);
  for (int& item : list) item = integer();
  return list;
}

void Contents::forget_numbers() noexcept {
  integers_ = {};
  addresses_ = {};
  counts_ = {};
}

} // namespace helper::layout
