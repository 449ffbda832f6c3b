// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/buffer.hpp"

#include <algorithm>
#include <array>

#include "pipeline/lane.hpp"

namespace helper::hybrid {

pipeline::Stream data(const MemberCall& call, const void* base) {
  if (call.type == MPI_DATATYPE_NULL)
    throw Rejected(MPI_ERR_TYPE, "a member's datatype is MPI_DATATYPE_NULL");
  pipeline::Stream data(const_cast<void*>(base), call.count, call.type, call.comm);
  if (data.is_dense() && data.dense() == nullptr && data.size() != 0)
    throw Rejected(MPI_ERR_BUFFER, "a member's buffer is a null pointer");
  return data;
}

ResultCopies::ResultCopies(const MemberCall& source, MemberCalls calls) {
  targets_.reserve(calls.size() - 1);
  calls.for_each([&](const MemberCall& call) {
    if (call.receive != source.receive || call.type != source.type)
      targets_.push_back(data(call, call.receive));
  });
  if (!targets_.empty()) from_.emplace(data(source, source.receive));
}

void ResultCopies::run(team::Member& leader) const {
  if (targets_.empty()) return;
  from_->load();
  leader.run(trace::Stage::copy, from_->size(), pipeline::grain,
             [this](std::size_t begin, std::size_t end) noexcept {
               alignas(64) std::array<std::byte, pipeline::l1_block> scratch;
               for (std::size_t at = begin; at < end; at += scratch.size()) {
                 const std::size_t up_to = std::min(at + scratch.size(), end);
                 const std::byte* const packed = from_->read(at, up_to, scratch.data());
                 for (const pipeline::Stream& target : targets_) target.unpack(at, up_to, packed);
               }
             });
  for (const pipeline::Stream& target : targets_) target.store_back();
}

} // namespace helper::hybrid
