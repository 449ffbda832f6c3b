// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/packed_elements.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

#include "layout/packed_data.hpp"
#include "native/large_counts.hpp"
#include "pipeline/lane.hpp"

namespace helper::message {

MPI_Datatype TooLong::make_type(std::size_t bytes) {
  const auto blocks = static_cast<int>(std::min<std::size_t>(bytes / bytes_.size() + 1, INT_MAX));
  MPI_Datatype all = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hvector(blocks, static_cast<int>(bytes_.size()), 0, MPI_BYTE, &all);
  PMPI_Type_create_resized(all, 0, 0, &type);
  PMPI_Type_free(&all);
  PMPI_Type_commit(&type);
  return type;
}

PackedElements::PackedElements(const void* base, MPI_Datatype type,
                               std::vector<std::pair<MPI_Count, MPI_Count>> blocks)
    : base_(static_cast<const std::byte*>(base)), layout_(layout::Layout::of(type)),
      blocks_(std::move(blocks)) {
  std::erase_if(blocks_, [](const auto& block) { return block.second <= 0; });
  MPI_Count end = 0;
  if (!blocks_.empty()) {
    lowest_ = end = blocks_.front().first;
    for (const auto& [first, count] : blocks_) {
      lowest_ = std::min(lowest_, first);
      end = std::max(end, first + count);
    }
  }
  const auto element = static_cast<MPI_Count>(layout_->size());
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(end - lowest_, element, &bytes))
    bytes_.reset(new (std::nothrow) std::byte[bytes]); // memory that nobody touches costs nothing
  if (bytes_ == nullptr) {
    data_ = otherwise_.data();
    type_ = otherwise_.make_type(layout_->size());
  } else { // where MPI expects element 0, which may be outside the memory
    data_ = reinterpret_cast<void*>(reinterpret_cast<MPI_Aint>(bytes_.get()) - MPI_Aint{lowest_ * element});
    PMPI_Type_contiguous_c(element, MPI_BYTE, &type_);
    PMPI_Type_commit(&type_);
  }
}

/// Calls `visit(elements, bytes)` for each block, with its elements and the address of their packed bytes.
template <class Visit>
void PackedElements::for_each_block(const Visit& visit) const noexcept {
  if (bytes_ == nullptr) return;
  const auto element = static_cast<MPI_Count>(layout_->size());
  for (const auto& [first, count] : blocks_)
    visit(layout::PackedData(base_ + first * element, count, layout_),
          bytes_.get() + (first - lowest_) * element);
}

void PackedElements::load(team::Member& member) const noexcept {
  for_each_block(
      [&](const auto& elements, std::byte* bytes) { pipeline::pack_all(member, elements, bytes); });
}

void PackedElements::store(team::Member& member) const noexcept {
  for_each_block([&](const auto& elements, const std::byte* bytes) {
    pipeline::unpack_first(member, elements, elements.size(), bytes);
  });
}

} // namespace helper::message
