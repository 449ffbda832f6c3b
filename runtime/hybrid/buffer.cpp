// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/buffer.hpp"

#include <algorithm>
#include <array>
#include <vector>

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
  const auto reject = [&](int error_class, const char* what) {
    throw Rejected(error_class, std::string(call.operation.name) + what);
  };
  if (layout_ == nullptr) reject(MPI_ERR_TYPE, ": a datatype that the library does not know");
  size_ = static_cast<std::size_t>(call.count) * layout_->size();
  if (!layout_->contiguous()) return;
  dense_ = static_cast<std::byte*>(base_) + layout_->first_byte();
  if (dense_ == nullptr && size_ != 0) reject(MPI_ERR_BUFFER, ": a member's buffer is a null pointer");
}

void copy_to_others(team::Member& chair, const Call& source, Calls calls) {
  std::vector<Buffer> targets;
  targets.reserve(calls.size() - 1);
  calls.for_each([&](const Call& call) {
    if (call.receive != source.receive || call.type != source.type) targets.emplace_back(call, call.receive);
  });
  if (targets.empty()) return;
  const Buffer from(source, source.receive);
  CopyJob job{from, targets};
  chair.run(team::Job::of(job, from.size(), grain));
}

} // namespace helper::hybrid
