// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/contribution.hpp"

#include <new>

#include "pipeline/lane.hpp"

namespace helper::collective {

namespace {

void pack_all(team::Member& member, const layout::PackedData& from, std::byte* to) noexcept {
  member.run(trace::Stage::pack, from.size(), pipeline::grain,
             [&](std::size_t begin, std::size_t end) noexcept { from.pack(begin, end, to + begin); });
}

} // namespace

Contribution::Contribution(team::Member& member, const Participation& of, MPI_Comm comm) {
  const Part& part = of.contribution;
  if (part.bytes == 0) return;
  const Stream from(part.address(), part.count, part.type, comm);
  bytes_ = from.size();
  data_ = from.dense();
  if (from.has_layout() && from.is_dense() && !of.is_overwritten) return;
  from.load();
  copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  pack_all(member, from, copy_.get());
  data_ = copy_.get();
}

std::unique_ptr<std::byte[]> Contribution::copy(team::Member& member) const noexcept {
  std::unique_ptr<std::byte[]> made(new (std::nothrow) std::byte[bytes_]);
  if (made != nullptr)
    pack_all(member, layout::PackedData(const_cast<std::byte*>(data_), bytes_), made.get());
  return made;
}

} // namespace helper::collective
