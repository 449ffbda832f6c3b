// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "layout/layout.hpp"
#include "team/team.hpp"

namespace helper::message {

/// Memory for data if the system refused memory for them. The rank takes part anyway, since others would wait
/// for it. It receives here, and sends more than is expected, so that the receiver gets an error.
class TooLong {
public:
  /// Makes a committed type without extent that has more than `bytes` bytes, all of them in this object.
  MPI_Datatype make_type(std::size_t bytes);

  void* data() noexcept { return bytes_.data(); }

private:
  std::array<std::byte, 256> bytes_{};
};

/// A buffer with blocks of elements that functions of the program pack, as bytes in other memory. They have
/// the order and the distances of the elements, so MPI gets the counts and displacements of the program.
class PackedElements {
public:
  /// A block is the index of its first element, and the number of its elements.
  PackedElements(const void* base, MPI_Datatype type, std::vector<std::pair<MPI_Count, MPI_Count>> blocks);
  ~PackedElements() { PMPI_Type_free(&type_); }

  /// These are the buffer and the datatype for MPI.
  void* data() const noexcept { return data_; }
  MPI_Datatype type() const noexcept { return type_; }

  bool lacks_memory() const noexcept { return bytes_ == nullptr; }

  /// These copy all bytes from the elements, or to the elements, with the team.
  void load(team::Member& member) const noexcept;
  void store(team::Member& member) const noexcept;

private:
  template <class Visit>
  void for_each_block(const Visit& visit) const noexcept;

  const std::byte* base_;
  std::shared_ptr<const layout::Layout> layout_;
  std::vector<std::pair<MPI_Count, MPI_Count>> blocks_;
  MPI_Count lowest_ = 0; // element
  std::unique_ptr<std::byte[]> bytes_;
  TooLong otherwise_;
  void* data_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

} // namespace helper::message
