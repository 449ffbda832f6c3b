// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "layout/layout.hpp"
#include "transport/arguments.hpp"

namespace helper::message {

/// The bytes of elements of a datatype in a buffer of the user's, in packed order. The datatype may be freed
/// while this lives.
class Data {
public:
  Data(const void* base, MPI_Count count, std::shared_ptr<const layout::Layout> layout) noexcept
      : base_(const_cast<void*>(base)), layout_(std::move(layout)),
        size_(static_cast<std::size_t>(count) * layout_->size()) {}

  std::size_t size() const noexcept { return size_; }

  /// How many bytes lie together, on average.
  std::size_t mean_run() const noexcept { return layout_->mean_run(); }

  /// Length of its announcement; see Layout::head().
  std::size_t head() const noexcept { return layout_->head(); }

  /// Copies bytes [begin, end) out of the user's buffer, and into it. Any thread.
  void pack(std::size_t begin, std::size_t end, std::byte* packed) const noexcept {
    layout::pack(*layout_, base_, begin, end, packed);
  }
  void unpack(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept {
    layout::unpack(*layout_, base_, begin, end, packed);
  }

private:
  void* base_;
  std::shared_ptr<const layout::Layout> layout_;
  std::size_t size_;
};

/// As transport::valid_data(), which need not be asked of the datatype whose layout the thread has asked for
/// last.
inline bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return (buffer != nullptr && count >= 0 && layout::Layout::was_last(type)) ||
         transport::valid_data(buffer, count, type);
}

} // namespace helper::message
