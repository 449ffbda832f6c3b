// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "layout/packed_data.hpp"
#include "pipeline/stores.hpp"
#include "ranks/communicator.hpp"
#include "transport/shadow.hpp"

namespace helper::pipeline {

/// The data of an operation: a view of the user's buffer, or a packed copy if the data have no layout or are
/// on a GPU. MPI packs it in load() and unpacks it in store_back(). The primary makes and destroys a Stream.
class Stream : public layout::PackedData {
public:
  /// The elements of a call on `comm`. Does not call load(). Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
      : PackedData(base, count, layout::Layout::of(type, base)), elements_{base, count, type}, comm_(comm) {
    if (!has_layout()) make_copy();
  }
  /// The elements of an operation on `shadow`. Calls load() if `readable`. Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable)
      : Stream(base, count, type, shadow, readable, layout::Layout::of(type, base)) {}
  /// `layout` is the result of Layout::of(type, base).
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable,
         std::shared_ptr<const layout::Layout> layout)
      : PackedData(base, count, std::move(layout)), elements_{base, count, type}, comm_(shadow.user()),
        shadow_(&shadow) {
    if (!has_layout()) make_copy();
    if (readable) load();
  }
  /// Contiguous bytes that the CPU may access. They have no datatype.
  Stream(void* dense, std::size_t bytes) noexcept : PackedData(dense, bytes) {}
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (copy_ != nullptr) give_copy_back();
  }

  /// If there is a copy, MPI packs the user's data into it, or unpacks it to the user's data. Throw MpiError.
  void load() const {
    if (copy_ != nullptr) copy(elements_, packed());
  }
  void store_back() const {
    if (copy_ != nullptr) copy(packed(), elements_);
  }

private:
  void make_copy();
  void give_copy_back() noexcept;
  ranks::Elements packed() const noexcept {
    return {copy_.get(), static_cast<MPI_Count>(size()), MPI_PACKED};
  }
  void copy(const ranks::Elements& from, const ranks::Elements& to) const;

  ranks::Elements elements_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  const transport::Shadow* shadow_ = nullptr;
  std::unique_ptr<std::byte[]> copy_;
};

/// Copies bytes from `from_byte` of a stream to `to_byte` of another stream. Any thread may call it.
void copy_range(const Stream& from, std::size_t from_byte, const Stream& to, std::size_t to_byte,
                std::size_t bytes) noexcept;

/// Packs bytes [begin, end) into memory, possibly of the arena. Any thread may call it.
void pack(const layout::PackedData& data, std::size_t begin, std::size_t end, std::byte* packed,
          Stores stores) noexcept;

/// Results of at least this many bytes bypass the caches, since they would only evict other data.
inline constexpr std::size_t past_caches_least = std::size_t{8} * 1024 * 1024;

/// Returns whether results are written to the user's buffer with stores that bypass the caches.
inline bool goes_past_caches(const Stream& to) noexcept {
  return to.is_dense() && to.size() >= past_caches_least;
}

/// Returns the address in the user's buffer of the stream's bytes from `begin` on, if they may be computed
/// there. Returns nullptr if they must be computed elsewhere and passed to store().
inline std::byte* target(const Stream& to, std::size_t begin) noexcept {
  return to.is_dense() && !goes_past_caches(to) ? to.dense() + begin : nullptr;
}

/// Copies bytes into the user's buffer, from byte `begin` of the stream on; with stores that bypass the
/// caches if the result is large. The caller calls layout::order_past_caches() after the last bytes.
inline void store_unordered(const Stream& to, std::size_t begin, std::size_t bytes,
                            const std::byte* packed) noexcept {
  if (goes_past_caches(to)) {
    layout::stream_past_caches(to.dense() + begin, packed, bytes);
  } else {
    to.unpack(begin, begin + bytes, packed);
  }
}

/// Calls store_unordered(), and order_past_caches() if needed.
inline void store(const Stream& to, std::size_t begin, std::size_t bytes, const std::byte* packed) noexcept {
  store_unordered(to, begin, bytes, packed);
  if (goes_past_caches(to)) layout::order_past_caches();
}

} // namespace helper::pipeline
