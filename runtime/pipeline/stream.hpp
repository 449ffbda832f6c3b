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

/// The data of an operation. Besides the view it knows data that only MPI can copy, because their type has no
/// layout or they are in the memory of a GPU. Then the view is a copy, which MPI packs in load() and unpacks
/// in store_back(). The primary makes and destroys it.
class Stream : public layout::PackedData {
public:
  /// The elements of a call on `comm`, which are not loaded. Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
      : PackedData(base, count, layout::Layout::of(type, base)), elements_{base, count, type}, comm_(comm) {
    if (!has_layout()) make_copy();
  }
  /// The elements of an operation on `shadow`, whose contents are loaded if `readable`. Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable)
      : Stream(base, count, type, shadow, readable, layout::Layout::of(type, base)) {}
  /// The same, of elements whose layout has been found already, as Layout::of(type, base).
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable,
         std::shared_ptr<const layout::Layout> layout)
      : PackedData(base, count, std::move(layout)), elements_{base, count, type}, comm_(shadow.user()),
        shadow_(&shadow) {
    if (!has_layout()) make_copy();
    if (readable) load();
  }
  /// Contiguous bytes that the CPU may access: MPI is not asked about their type.
  Stream(void* dense, std::size_t bytes) noexcept : PackedData(dense, bytes) {}
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (copy_ != nullptr) give_copy_back();
  }

  /// Where there is a copy, MPI packs the present contents, or unpacks what was written. Throw MpiError.
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

/// Copies `bytes` bytes of a stream, from byte `from_byte` on, to those of another from byte `to_byte` on.
/// Any thread may call it.
void copy_range(const Stream& from, std::size_t from_byte, const Stream& to, std::size_t to_byte,
                std::size_t bytes) noexcept;

/// Packs bytes [begin, end) of data into memory, which may be in the arena, where other ranks read it. Any
/// thread may call it.
void pack(const layout::PackedData& data, std::size_t begin, std::size_t end, std::byte* packed,
          Stores stores) noexcept;

/// Results of at least this many bytes are written past the caches, which they would only clear. An allreduce
/// of 4 MiB at 2 ranks took 184 to 330 us with plain stores and 350 to 400 us past the caches in memory of
/// MPI_Alloc_mem, elsewhere 530 to 600 and 610 to 780. At 8 MiB it took 1600 to 2000 and 1470 to 1720.
inline constexpr std::size_t past_caches_least = std::size_t{8} * 1024 * 1024;

/// Whether bytes are written to the user's buffer past the caches.
inline bool goes_past_caches(const Stream& to) noexcept {
  return to.is_dense() && to.size() >= past_caches_least;
}

/// Where in the user's buffer bytes of the stream may be made, from byte `begin` on; nullptr where they must
/// be made elsewhere for store().
inline std::byte* target(const Stream& to, std::size_t begin) noexcept {
  return to.is_dense() && !goes_past_caches(to) ? to.dense() + begin : nullptr;
}

/// Puts bytes into the user's buffer, from byte `begin` of the stream on; past the caches if it is large. The
/// caller calls layout::order_past_caches() after the last bytes.
inline void store_unordered(const Stream& to, std::size_t begin, std::size_t bytes,
                            const std::byte* packed) noexcept {
  if (goes_past_caches(to)) {
    layout::stream_past_caches(to.dense() + begin, packed, bytes);
  } else {
    to.unpack(begin, begin + bytes, packed);
  }
}

/// Does both.
inline void store(const Stream& to, std::size_t begin, std::size_t bytes, const std::byte* packed) noexcept {
  store_unordered(to, begin, bytes, packed);
  if (goes_past_caches(to)) layout::order_past_caches();
}

} // namespace helper::pipeline
