// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "layout/layout.hpp"
#include "message/packed_bytes.hpp"
#include "ranks/arguments.hpp"
#include "team/team.hpp"

namespace helper::message {

/// Replaces a buffer for which memory is short. The rank still takes part, since other ranks would wait. It
/// receives into this object. It sends more bytes than receivers expect, so that they get an error.
class TooLong {
public:
  /// Makes a committed type of extent 0 with more than `bytes` bytes, all of them in this object.
  MPI_Datatype make_type(std::size_t bytes);

  void* data() noexcept { return bytes_.data(); }

private:
  std::array<std::byte, 256> bytes_{};
};

/// The packed bytes of blocks of elements whose datatype has pack functions of the program. A packed element
/// keeps its index in the buffer, so MPI gets the counts and displacements of the program.
class PackedElements {
public:
  /// A block is the index of its first element, and the number of its elements.
  PackedElements(const void* base, MPI_Datatype type, std::vector<std::pair<MPI_Count, MPI_Count>> blocks);
  ~PackedElements() { PMPI_Type_free(&type_); }

  /// These are the buffer and the datatype for MPI.
  void* data() const noexcept { return data_; }
  MPI_Datatype type() const noexcept { return type_; }

  bool lacks_memory() const noexcept { return bytes_ == nullptr; }

  /// load() packs the elements of all blocks, and store() unpacks them. The team helps.
  void load(team::Member& member) const noexcept;
  void store(team::Member& member) const noexcept;

private:
  template <class Visit>
  void for_each_block(const Visit& visit) const noexcept;

  const std::byte* base_;
  std::shared_ptr<const layout::Layout> layout_;
  std::vector<std::pair<MPI_Count, MPI_Count>> blocks_;
  MPI_Count lowest_ = 0; // the lowest index of an element
  std::unique_ptr<std::byte[]> bytes_;
  TooLong otherwise_;
  void* data_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// The blocks of a buffer of MPI_Alltoallw or MPI_Neighbor_alltoallw, as MPI gets them. Each block is one
/// element of a datatype that contains the displacement. If its elements have pack functions of the program,
/// the block is their packed bytes in other memory. `Count`, `Place`: types of counts and displacements.
template <class Count, class Place>
class PackedBlocks {
public:
  /// Block i is empty if `is_absent(i)`. Calls MPI. Throws std::bad_alloc. If only packed bytes lack memory,
  /// lacks_memory() is true instead.
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

  /// load() packs the elements of packed blocks, and store() unpacks them. The team helps.
  void load(team::Member& member) const noexcept {
    for (const PackedBytes& each : packed_) each.load(member);
  }
  void store(team::Member& member) const noexcept {
    for (const PackedBytes& each : packed_) each.store(member);
  }

  std::vector<Count> counts;
  std::vector<Place> places; ///< all 0
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

  /// Adds a block. If MPI must reject the arguments, it gets them unchanged.
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
