// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/buffer.hpp"

#include <algorithm>
#include <array>

namespace helper::hybrid {

namespace {

struct CopyJob {
  static constexpr trace::Stage stage = trace::Stage::copy;
  const Buffer& from;
  std::span<const Buffer> targets;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    alignas(64) std::array<std::byte, piece> scratch;
    for (std::size_t at = begin; at < end; at += piece) {
      const std::size_t up_to = std::min(at + piece, end);
      const std::byte* const packed = from.read(at, up_to, scratch.data());
      for (const Buffer& target : targets) target.write(at, up_to, packed);
    }
  }
};

} // namespace

Buffer::Buffer(const Call& call, const void* base)
    : base_(const_cast<void*>(base)), layout_(layout::Layout::of(call.type)) {
  if (layout_ == nullptr) throw Rejected(MPI_ERR_TYPE, "a datatype that the library does not know");
  size_ = static_cast<std::size_t>(call.count) * layout_->size();
  if (!layout_->contiguous()) return;
  dense_ = static_cast<std::byte*>(base_) + layout_->first_byte();
  if (dense_ == nullptr && size_ != 0) throw Rejected(MPI_ERR_BUFFER, "a member's buffer is a null pointer");
}

Copies::Copies(const Call& source, Calls calls) {
  targets_.reserve(calls.size() - 1);
  calls.for_each([&](const Call& call) {
    if (call.receive != source.receive || call.type != source.type) targets_.emplace_back(call, call.receive);
  });
  if (!targets_.empty()) from_.emplace(source, source.receive);
}

void Copies::run(team::Member& chair) const noexcept {
  if (targets_.empty()) return;
  CopyJob job{*from_, targets_};
  chair.run(team::Job::of(job, from_->size(), grain));
}

} // namespace helper::hybrid
