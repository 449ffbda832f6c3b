// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/stream.hpp"

#include "native/large_counts.hpp"
#include "transport/mpi_error.hpp"

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
    static_cast<void>(copy_.release()); // MPI may have messages in it
}

void Stream::copy(const transport::Elements& from, const transport::Elements& to) const {
  const int code = transport::copy_by_mpi(from, to);
  if (code != MPI_SUCCESS) throw transport::MpiError(comm_, code);
}

void pack(const Stream& stream, std::size_t begin, std::size_t end, std::byte* slot, Stores stores) noexcept {
  if (stores == Stores::plain) {
    stream.pack(begin, end, slot);
  } else if (stream.is_dense()) {
    copy_past_caches(slot, stream.dense() + begin, end - begin);
  } else {
    pack_by_lines(stream, begin, end, slot, copy_past_caches);
  }
}

} // namespace helper::pipeline
