// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "layout/layout.hpp"
#include "transport/arguments.hpp"

namespace helper::message {

/// A datatype that lives as long as what is returned, though the user may free `type`. Throws std::bad_alloc.
std::shared_ptr<const MPI_Datatype> duplicate(MPI_Datatype type);

/// The bytes of elements of a datatype in a buffer of the user's, in packed order. The datatype may be freed
/// while this lives. Where it has no layout, or the elements are in the memory of a GPU, MPI alone can copy
/// them.
class Data {
public:
  Data(const void* base, MPI_Count count, std::shared_ptr<const layout::Layout> layout) noexcept
      : base_(const_cast<void*>(base)), layout_(std::move(layout)),
        size_(static_cast<std::size_t>(count) * layout_->size()) {}

  /// What is to be received, whatever can copy it. `type` is valid. Calls MPI; throws std::bad_alloc.
  static Data to_receive(void* base, MPI_Count count, MPI_Datatype type);

  std::size_t size() const noexcept { return size_; }

  /// How many bytes lie together, on average.
  std::size_t mean_run() const noexcept { return layout_->mean_run(); }

  /// Length of its RTS; see Layout::head().
  std::size_t head() const noexcept { return layout_->head(); }

  /// Whether MPI alone can copy the bytes. This is never so of what is sent by a rendezvous.
  bool is_by_mpi() const noexcept { return by_mpi_ != nullptr; }

  /// Copies bytes [begin, end) out of the user's buffer, and into it. Any thread; unless is_by_mpi().
  void pack(std::size_t begin, std::size_t end, std::byte* packed) const noexcept {
    layout::pack(*layout_, base_, begin, end, packed);
  }
  void unpack(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept {
    layout::unpack(*layout_, base_, begin, end, packed);
  }

  /// Copies the first bytes, as many as `packed` has, and no more than an RTS, out of the user's
  /// buffer. Returns MPI's code; for a thread in MPI.
  int fetch(std::span<std::byte> packed) const noexcept;

  /// Makes `packed` the first bytes, where is_by_mpi(). Returns MPI's code; for a thread in MPI.
  int store(std::span<const std::byte> packed) const noexcept;

private:
  /// What MPI copies, and room for the first elements.
  struct ByMpi {
    MPI_Count count;
    std::shared_ptr<const MPI_Datatype> type;
    MPI_Count first_elements;
    std::size_t first_bytes;
    std::unique_ptr<std::byte[]> first;
  };

  Data(void* base, std::size_t size, std::shared_ptr<const ByMpi> by_mpi) noexcept
      : base_(base), size_(size), by_mpi_(std::move(by_mpi)) {}

  void* base_;
  std::shared_ptr<const layout::Layout> layout_;
  std::size_t size_;
  std::shared_ptr<const ByMpi> by_mpi_;
};

/// As transport::valid_data(), which need not be asked of the datatype whose layout the thread has asked for
/// last.
inline bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return (buffer != nullptr && count >= 0 && layout::Layout::was_last(type)) ||
         transport::valid_data(buffer, count, type);
}

} // namespace helper::message
