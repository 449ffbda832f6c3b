// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "layout/layout.hpp"
#include "pipeline/store_choice.hpp"
#include "trace/track.hpp"
#include "transport/own_copy.hpp"
#include "transport/shadow.hpp"

namespace helper::pipeline {

/// The bytes of `count` elements of a datatype in a buffer of the user's, in packed order: what goes on the
/// wire.
///
/// Where they lie densely they are used in place; otherwise any range is packed and unpacked by any thread.
/// What is of a type that has no layout, or in the memory of a GPU, is packed whole by MPI, at once, and
/// unpacked by store_back(). Made and destroyed by the primary.
class Stream {
public:
  /// `readable`: the present contents matter. `shadow` is that of the operation. Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable);
  /// Of `bytes` bytes that lie densely, where the CPU may touch them, without asking MPI about their type.
  Stream(void* dense, std::size_t bytes, const transport::Shadow& shadow)
      : base_(dense), shadow_(shadow), size_(bytes), dense_(static_cast<std::byte*>(dense)) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::size_t size() const noexcept { return size_; }

  /// Whether the bytes lie in order, from dense() on, and need no packing.
  bool is_dense() const noexcept { return is_dense_; }
  std::byte* dense() const noexcept { return dense_; }

  /// Copies bytes [begin, end) of the stream out of the user's buffer, and into it. Any thread.
  void pack(std::size_t begin, std::size_t end, std::byte* packed) const noexcept;
  void unpack(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept;

  /// Has MPI unpack what has been written, where it has packed it; otherwise nothing.
  void store_back();

private:
  void pack_whole(bool readable);
  void copy(const transport::Elements& from, const transport::Elements& to) const;

  void* base_;
  MPI_Count count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  const transport::Shadow& shadow_;
  std::size_t size_ = 0;
  bool is_dense_ = true;
  std::byte* dense_ = nullptr;
  std::shared_ptr<const layout::Layout> layout_;
  std::unique_ptr<std::byte[]> whole_; // packed by MPI
};

/// A job that packs bytes of a stream from `offset` on into a buffer, or unpacks them from it.
struct PackJob {
  static constexpr trace::Stage stage = trace::Stage::pack;
  const Stream* stream = nullptr;
  std::size_t offset = 0;
  std::byte* packed = nullptr;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    stream->pack(offset + begin, offset + end, packed + begin);
  }
};

/// As PackJob, into a slot of the arena, which other ranks read.
struct PackToSlotJob {
  static constexpr trace::Stage stage = trace::Stage::pack;
  const Stream* stream = nullptr;
  std::size_t offset = 0;
  std::byte* slot = nullptr;
  Stores stores = Stores::plain;

  void operator()(std::size_t begin, std::size_t end) noexcept;
};

struct UnpackJob {
  static constexpr trace::Stage stage = trace::Stage::unpack;
  const Stream* stream = nullptr;
  std::size_t offset = 0;
  const std::byte* packed = nullptr;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    stream->unpack(offset + begin, offset + end, packed + begin);
  }
};

} // namespace helper::pipeline
