// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "pipeline/stream.hpp"

#include <cstring>

#include "native/large_counts.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "transport/mpi_error.hpp"
#include "transport/own_copy.hpp"

namespace helper::pipeline {

Stream::Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable)
    : base_(base), count_(count), type_(type), shadow_(shadow), layout_(layout::Layout::of(type, base)) {
  if (layout_ == nullptr) {
    MPI_Count element = 0;
    PMPI_Type_size_x(type, &element);
    size_ = static_cast<std::size_t>(count * element);
    pack_whole(readable);
    return;
  }
  size_ = static_cast<std::size_t>(count) * layout_->size();
  is_dense_ = layout_->contiguous();
  if (is_dense_) dense_ = static_cast<std::byte*>(base) + layout_->first_byte();
}

Stream::~Stream() {
  if (shadow_.failure().left_behind()) static_cast<void>(whole_.release()); // MPI may have messages in it
}

void Stream::pack_whole(bool readable) {
  whole_ = std::make_unique<std::byte[]>(size_);
  dense_ = whole_.get();
  if (readable) copy({base_, count_, type_}, {whole_.get(), static_cast<MPI_Count>(size_), MPI_PACKED});
}

void Stream::copy(const transport::Elements& from, const transport::Elements& to) const {
  const int code = transport::copy_by_mpi(from, to);
  if (code != MPI_SUCCESS) throw transport::MpiError(shadow_.user(), code);
}

void Stream::pack(std::size_t begin, std::size_t end, std::byte* packed) const noexcept {
  if (is_dense_) {
    std::memcpy(packed, dense_ + begin, end - begin);
  } else {
    layout::pack(*layout_, base_, begin, end, packed);
  }
}

void Stream::unpack(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept {
  if (is_dense_) {
    std::memcpy(dense_ + begin, packed, end - begin);
  } else {
    layout::unpack(*layout_, base_, begin, end, packed);
  }
}

void PackToSlotJob::operator()(std::size_t begin, std::size_t end) noexcept {
  if (stores == Stores::plain) {
    stream->pack(offset + begin, offset + end, slot + begin);
    return;
  }
  if (stream->is_dense()) {
    copy_past_caches(slot + begin, stream->dense() + offset + begin, end - begin);
    return;
  }
  pack_by_lines(*stream, offset + begin, offset + end, slot + begin, copy_past_caches);
}

void Stream::store_back() {
  if (whole_ != nullptr)
    copy({whole_.get(), static_cast<MPI_Count>(size_), MPI_PACKED}, {base_, count_, type_});
}

} // namespace helper::pipeline
