// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/contribution.hpp"

#include <cstdint>
#include <new>

#include "layout/copy_bytes.hpp"
#include "pipeline/lane.hpp"

namespace helper::collective {

namespace {

void pack_all(team::Member& member, const layout::PackedData& from, std::byte* to) noexcept {
  member.run(trace::Stage::pack, from.size(), pipeline::grain,
             [&](std::size_t begin, std::size_t end) noexcept { from.pack(begin, end, to + begin); });
}

} // namespace

Contribution::Contribution(team::Member& member, const Participation& of, int ranks, MPI_Comm comm) {
  if (of.addressed) {
    prepare_addressed(member, of.readers, *of.addressed, ranks, comm);
  } else if (of.contribution && of.contribution->bytes != 0) {
    prepare(member, *of.contribution, !of.is_overwritten, comm);
  }
}

void Contribution::prepare(team::Member& member, const Part& part, bool remains, MPI_Comm comm) {
  const Stream from(part.address(), part.count, part.type, comm);
  bytes_ = from.size();
  data_ = from.dense();
  if (from.has_layout() && from.is_dense() && remains) return;
  from.load();
  copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  pack_all(member, from, copy_.get());
  data_ = copy_.get();
}

void Contribution::prepare_addressed(team::Member& member, const std::vector<int>& readers,
                                     const std::vector<Part>& parts, int ranks, MPI_Comm comm) {
  const std::size_t words = (static_cast<std::size_t>(ranks) + 1) * sizeof(std::uint64_t);
  std::vector<std::uint64_t> begins;
  bytes_ = words;
  std::size_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    begins.push_back(bytes_);
    for (; next < readers.size() && readers[next] == rank; ++next) bytes_ += parts[next].bytes;
  }
  begins.push_back(bytes_);
  copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  layout::copy_bytes(copy_.get(), reinterpret_cast<const std::byte*>(begins.data()), words);
  std::byte* to = copy_.get() + words;
  for (const Part& part : parts) {
    if (part.bytes == 0) continue;
    const Stream from(part.address(), part.count, part.type, comm);
    from.load();
    pack_all(member, from, to);
    to += part.bytes;
  }
  data_ = copy_.get();
}

std::unique_ptr<std::byte[]> Contribution::copy(team::Member& member) const noexcept {
  std::unique_ptr<std::byte[]> made(new (std::nothrow) std::byte[bytes_]);
  if (made != nullptr)
    pack_all(member, layout::PackedData(const_cast<std::byte*>(data_), bytes_), made.get());
  return made;
}

} // namespace helper::collective
