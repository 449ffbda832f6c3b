// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "layout/copy_bytes.hpp"
#include "layout/layout.hpp"

namespace helper::layout {

/// A view of the elements in a user's buffer as bytes in packed order, in which they are sent. Several
/// threads may copy disjoint ranges at the same time. The datatype may be freed while this object lives.
class PackedData {
public:
  /// Makes the view of `count` elements at the MPI address `base`. If `layout` is nullptr, the view is empty.
  PackedData(const void* base, MPI_Count count, std::shared_ptr<const Layout> layout) noexcept
      : base_(const_cast<void*>(base)), layout_(std::move(layout)) {
    if (layout_ == nullptr) return;
    size_ = static_cast<std::size_t>(count) * layout_->size();
    is_dense_ = layout_->contiguous();
    if (is_dense_) dense_ = static_cast<std::byte*>(base_) + layout_->first_byte();
  }

  PackedData(void* dense, std::size_t bytes) noexcept
      : base_(dense), size_(bytes), is_dense_(true), dense_(static_cast<std::byte*>(dense)) {}

  std::size_t size() const noexcept { return size_; }

  /// Returns whether the bytes are contiguous and need no packing. Then dense() returns where they begin.
  bool is_dense() const noexcept { return is_dense_; }
  std::byte* dense() const noexcept { return dense_; }

  /// Returns whether the view was made of elements with a layout, rather than of contiguous bytes.
  bool has_layout() const noexcept { return layout_ != nullptr; }
  const Layout& layout() const noexcept { return *layout_; }

  /// pack() copies bytes [begin, end) of the view to `packed`, unpack() copies `packed` to these bytes.
  void pack(std::size_t begin, std::size_t end, std::byte* packed) const noexcept {
    if (is_dense_)
      copy_bytes(packed, dense_ + begin, end - begin);
    else
      layout::pack(*layout_, base_, begin, end, packed);
  }
  void unpack(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept {
    if (is_dense_)
      copy_bytes(dense_ + begin, packed, end - begin);
    else
      layout::unpack(*layout_, base_, begin, end, packed);
  }

  /// Returns the address of bytes [begin, end): in the buffer if is_dense(), else packs them into `scratch`.
  const std::byte* read(std::size_t begin, std::size_t end, std::byte* scratch) const noexcept {
    if (is_dense_) return dense_ + begin;
    layout::pack(*layout_, base_, begin, end, scratch);
    return scratch;
  }

private:
  void* base_;
  std::size_t size_ = 0;
  bool is_dense_ = true;
  std::byte* dense_ = nullptr;
  std::shared_ptr<const Layout> layout_;
};

} // namespace helper::layout
