// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/stream.hpp"

#include <algorithm>

#include "lifetime/thread_block.hpp"
#include "native/large_counts.hpp"
#include "pipeline/lane.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::pipeline {

void Stream::make_copy() {
  MPI_Count element = 0;
  PMPI_Type_size_x(elements_.type, &element);
  const auto bytes = static_cast<std::size_t>(elements_.count * element);
  copy_ = std::make_unique<std::byte[]>(bytes);
  static_cast<PackedData&>(*this) = PackedData(copy_.get(), bytes);
}

void Stream::give_copy_back() noexcept {
  if (shadow_ != nullptr && shadow_->failure().left_behind())
    static_cast<void>(copy_.release()); // MPI may still have messages in this memory
}

void Stream::copy(const ranks::Elements& from, const ranks::Elements& to) const {
  const int code = ranks::copy_by_mpi(from, to);
  if (code != MPI_SUCCESS) throw ranks::MpiError(comm_, code);
}

void copy_range(const Stream& from, std::size_t from_byte, const Stream& to, std::size_t to_byte,
                std::size_t bytes) noexcept {
  if (to.is_dense()) return from.pack(from_byte, from_byte + bytes, to.dense() + to_byte);
  if (from.is_dense()) return to.unpack(to_byte, to_byte + bytes, from.dense() + from_byte);
  lifetime::ThreadBlock<l1_block> piece;
  for (std::size_t at = 0; at < bytes; at += piece.size()) {
    const std::size_t stop = std::min(at + piece.size(), bytes);
    from.pack(from_byte + at, from_byte + stop, piece.data());
    to.unpack(to_byte + at, to_byte + stop, piece.data());
  }
}

void pack(const layout::PackedData& data, std::size_t begin, std::size_t end, std::byte* packed,
          Stores stores) noexcept {
  if (stores == Stores::plain) {
    data.pack(begin, end, packed);
  } else if (data.is_dense()) {
    layout::copy_past_caches(packed, data.dense() + begin, end - begin);
  } else {
    pack_by_lines(data, begin, end, packed, layout::stream_past_caches);
    layout::order_past_caches();
  }
}

} // namespace helper::pipeline
