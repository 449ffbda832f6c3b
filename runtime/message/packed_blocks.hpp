// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "layout/layout.hpp"
#include "message/packed_bytes.hpp"
#include "message/packed_elements.hpp"
#include "ranks/arguments.hpp"

namespace helper::message {

/// The blocks of a buffer of MPI_Alltoallw or MPI_Neighbor_alltoallw, as MPI gets them if functions of the
/// program pack some of them. Each is one element of a type that contains its address; packed blocks are
/// bytes in other memory. Counts and displacements have the types of the function's arguments.
template <class Count, class Place>
class PackedBlocks {
public:
  /// MPI gets block i unchanged if `is_absent(i)`. Calls MPI. Throws std::bad_alloc, except for the bytes.
  template <class IsAbsent>
  PackedBlocks(const IsAbsent& is_absent, const void* base, std::size_t blocks, const Count* lengths,
               const Place* displacements, const MPI_Datatype* elements)
      : places(blocks) {
    PMPI_Get_address(base, &base_);
    packed_.reserve(blocks);
    made_.reserve(blocks);
    counts.reserve(blocks);
    types.reserve(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto* const at = static_cast<const std::byte*>(base) + displacements[i];
      if (is_absent(i)) {
        add(at, 0, MPI_BYTE);
      } else if (lengths[i] <= 0 || !layout::has_functions(elements[i])) {
        add(at, lengths[i], elements[i]);
      } else {
        add_packed(at, lengths[i], elements[i]);
      }
    }
  }
  ~PackedBlocks() {
    for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
  }
  PackedBlocks(const PackedBlocks&) = delete;
  PackedBlocks& operator=(const PackedBlocks&) = delete;

  bool lacks_memory() const noexcept { return lacks_memory_; }

  /// These copy all bytes from the elements, or to them, with the team.
  void load(team::Member& member) const noexcept {
    for (const PackedBytes& each : packed_) each.load(member);
  }
  void store(team::Member& member) const noexcept {
    for (const PackedBytes& each : packed_) each.store(member);
  }

  std::vector<Count> counts;
  std::vector<Place> places; ///< none
  std::vector<MPI_Datatype> types;

private:
  void add_packed(const std::byte* at, Count count, MPI_Datatype element) {
    try {
      const PackedBytes& bytes = packed_.emplace_back(at, count, element);
      bytes.give([&](int number, MPI_Datatype type) { return add(bytes.data(), number, type); });
    } catch (const std::bad_alloc&) {
      lacks_memory_ = true;
      MPI_Datatype type = otherwise_.make_type(layout::Layout::of(element)->size());
      add(otherwise_.data(), count, type);
      PMPI_Type_free(&type);
    }
  }

  /// Passes on arguments that MPI rejects.
  int add(const void* at, Count count, MPI_Datatype type) {
    MPI_Aint place = 0;
    PMPI_Get_address(at, &place);
    place -= base_;
    if (count != 0 && ranks::valid_data(at, count, type)) {
      if constexpr (sizeof(Count) == sizeof(int))
        PMPI_Type_create_hindexed(1, &count, &place, type, &made_.emplace_back());
#if MPI_VERSION >= 4
      else
        PMPI_Type_create_hindexed_c(1, &count, std::array{MPI_Count{place}}.data(), type,
                                    &made_.emplace_back());
#endif
      PMPI_Type_commit(&made_.back());
      count = 1;
      type = made_.back();
    }
    counts.push_back(count);
    types.push_back(count == 0 ? MPI_BYTE : type);
    return MPI_SUCCESS;
  }

  MPI_Aint base_ = 0;
  std::vector<MPI_Datatype> made_;
  std::vector<PackedBytes> packed_;
  TooLong otherwise_;
  bool lacks_memory_ = false;
};

} // namespace helper::message
