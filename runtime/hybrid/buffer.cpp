// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/buffer.hpp"

#include <algorithm>
#include <array>

#include "transport/mpi_error.hpp"

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

Buffer::Buffer(const MemberCall& call, const void* base)
    : elements_{const_cast<void*>(base), call.count, call.type}, comm_(call.comm),
      layout_(layout::Layout::of(call.type, base)) {
  if (call.type == MPI_DATATYPE_NULL)
    throw Rejected(MPI_ERR_TYPE, "a member's datatype is MPI_DATATYPE_NULL");
  MPI_Count element = 0;
  check(PMPI_Type_size_x(call.type, &element));
  size_ = static_cast<std::size_t>(call.count * element);
  if (layout_ == nullptr) {
    by_mpi_ = std::make_unique_for_overwrite<std::byte[]>(size_);
    dense_ = by_mpi_.get();
  } else if (layout_->contiguous()) {
    dense_ = static_cast<std::byte*>(elements_.base) + layout_->first_byte();
    if (dense_ == nullptr && size_ != 0)
      throw Rejected(MPI_ERR_BUFFER, "a member's buffer is a null pointer");
  }
}

void Buffer::load() const {
  if (by_mpi_ != nullptr) copy(elements_, packed());
}

void Buffer::store() const {
  if (by_mpi_ != nullptr) copy(packed(), elements_);
}

void Buffer::copy(const transport::Elements& from, const transport::Elements& to) const {
  const int code = transport::copy_by_mpi(from, to);
  if (code != MPI_SUCCESS) throw transport::MpiError(comm_, code);
}

Copies::Copies(const MemberCall& source, MemberCalls calls) {
  targets_.reserve(calls.size() - 1);
  calls.for_each([&](const MemberCall& call) {
    if (call.receive != source.receive || call.type != source.type) targets_.emplace_back(call, call.receive);
  });
  if (!targets_.empty()) from_.emplace(source, source.receive);
}

void Copies::run(team::Member& leader) const {
  if (targets_.empty()) return;
  from_->load();
  CopyJob job{*from_, targets_};
  leader.run(team::Job::of(job, from_->size(), grain));
  for (const Buffer& target : targets_) target.store();
}

} // namespace helper::hybrid
