// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/moves.hpp"

#include "ranks/arguments.hpp"

namespace helper::collective {

namespace {

/// The size and extent of a type; 0 if it is no type.
struct DecodedElement {
  explicit DecodedElement(MPI_Datatype of_type) : type(of_type) {
    if (!ranks::valid_data(this, 1, type)) return; // MPI accepts any type for zero elements
    MPI_Count lower_bound = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower_bound, &extent);
  }

  Part part(const void* base, MPI_Aint offset, MPI_Count count) const {
    return {base, offset, count, type, count > 0 ? static_cast<std::size_t>(count * size) : 0};
  }

  MPI_Datatype type;
  MPI_Count size = 0;
  MPI_Count extent = 0;
};

template <class PartOf>
std::vector<Part> for_each_rank(int ranks, const PartOf& part_of) {
  std::vector<Part> all;
  all.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) all.push_back(part_of(rank));
  return all;
}

} // namespace

bool acceptable(const std::vector<Part>& parts) {
  Part accepted; // the previous part, without its offset
  for (Part part : parts) {
    part.offset = 0;
    if (part == accepted) continue;
    if (part.count != 0 && part.base == MPI_IN_PLACE) return false;
    if (!ranks::valid_data(part.base, part.count, part.type)) return false;
    accepted = part;
  }
  return true;
}

bool are_aliases(const Part& out, const Part& in) noexcept {
  return out.bytes != 0 && in.bytes != 0 && out.type == in.type && out.address() == in.address();
}

Part part(const void* base, MPI_Count count, MPI_Datatype type) {
  if (base == MPI_IN_PLACE || count == 0) return {base}; // whatever the type is
  return DecodedElement(type).part(base, 0, count);
}

std::vector<Part> parts(int ranks, const void* base, MPI_Count count, MPI_Datatype type) {
  const DecodedElement element(type);
  return for_each_rank(ranks,
                       [&](int rank) { return element.part(base, rank * count * element.extent, count); });
}

std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        MPI_Datatype type) {
  const DecodedElement element(type);
  return for_each_rank(ranks, [&](int rank) {
    return element.part(base, displacements[rank] * element.extent, counts[rank]);
  });
}

std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        const MPI_Datatype* types) {
  return for_each_rank(ranks, [&](int rank) {
    if (counts[rank] == 0) return Part{}; // without elements the type may be invalid
    return DecodedElement(types[rank]).part(base, displacements[rank], counts[rank]);
  });
}

} // namespace helper::collective
