// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/reduce_shm_mapped.hpp"

#include <optional>
#include <vector>

#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

namespace {

// The marks after those of slots, which the operation may also use.
enum : std::size_t { contribution = 5, result, verdict };

/// The place of a rank's data, for others; in no region if the data are elsewhere or not contiguous.
using Place = shm::Region::RegionPart;

Place place(const Stream& stream) {
  const auto part = stream.is_dense() ? shm::Region::find(stream.dense(), stream.size()) : std::nullopt;
  return part.value_or(Place{});
}

bool is_in_region(const Place& place) {
  return place.region.bytes != 0;
}

/// The message of a rank about its contribution.
struct MappedOffer {
  Place place;
  bool wanted; // to be read there
};

} // namespace

template <class PlaceOf>
bool ShmMapped::map_all(std::vector<const std::byte*>& addresses, const Stream& own, const PlaceOf& place) {
  for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
    addresses.push_back(rank == reduction_.rank() ? own.dense() : map(place(rank), own.size()));
    if (addresses.back() == nullptr) return false;
  }
  return true;
}

/// Returns the address of `bytes` bytes at the place; nullptr if they cannot be mapped.
const std::byte* ShmMapped::map(const Place& place, std::size_t bytes) {
  const auto& mapping = mappings_.emplace_back(shm::Mapping::of(place.region));
  if (mapping == nullptr || place.offset > mapping->bytes() || bytes > mapping->bytes() - place.offset)
    return nullptr;
  return mapping->address() + place.offset;
}

/// Returns whether data may be reduced in place, as far as all ranks know without communication.
bool ShmMapped::may_be() const {
  return shm::can_map() && reduction_.reducer.has_kernel() && results_.have_places();
}

void ShmMapped::offer(bool wanted) {
  if (!may_be()) return;
  shared_.note<MappedOffer>(contribution) = {results_.are_on_contributions() ? Place{} : place(from_),
                                             wanted};
  if (results_.are_given()) shared_.note<Place>(result) = place(*results_.to());
}

bool ShmMapped::agree() {
  if (!may_be() || !shared_.note<MappedOffer>(0, contribution).wanted) return false;
  const auto contributed = [&](std::size_t rank) {
    return shared_.note<MappedOffer>(rank, contribution).place;
  };
  const auto resulting = [&](std::size_t rank) { return shared_.note<Place>(rank, result); };
  for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
    if (!is_in_region(contributed(rank)) || (results_.are_taken() && !is_in_region(resulting(rank))))
      return false;
  }
  bool& mine = shared_.note<bool>(verdict);
  mine = map_all(contributions_, from_, contributed) &&
         (!results_.are_taken() || map_all(others_, *results_.to(), resulting));
  shared_.show(verdict, 1);
  shared_.await_all(verdict, 1);
  for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
    if (!shared_.note<bool>(rank, verdict)) return false;
  }
  return true;
}

void ShmMapped::run() {
  constexpr std::uint64_t reduced = 1;
  const std::size_t element = reduction_.reducer.element();
  const std::size_t self = reduction_.rank();
  const bool past_caches = from_.size() >= pipeline::past_caches_least;
  if (shares_.size(self) != 0) {
    const std::size_t own = shares_.begin(self) * element;
    std::byte* const out = results_.to()->dense() + results_.own_place(own);
    std::vector<const std::byte*> operands;
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank)
      operands.push_back(contributions_[rank] + own);
    const reduction::Reducer& reducer = reduction_.reducer;
    reduction_.member.run(trace::Stage::reduce, shares_.size(self), pipeline::grain_of(reducer),
                          [&](std::size_t begin, std::size_t end) noexcept {
                            if (!past_caches) return reducer.reduce(operands, begin, end, out);
                            reduction::reduce_in_pieces(
                                reducer, operands, begin, end, nullptr,
                                [out](const std::byte* piece, std::size_t at, std::size_t bytes) {
                                  layout::stream_past_caches(out + at, piece, bytes);
                                });
                            layout::order_past_caches();
                          });
  }
  if (results_.are_given()) shared_.show(contribution, reduced);
  if (!results_.are_taken()) return;
  shared_.await_all(contribution, reduced);
  for (std::size_t step = 1; step < reduction_.ranks(); ++step) {
    const std::size_t rank = (self + step) % reduction_.ranks();
    const std::size_t at = shares_.begin(rank) * element;
    const std::byte* const from = others_[rank] + at;
    std::byte* const to = results_.to()->dense() + at;
    const auto stores = past_caches ? pipeline::Stores::streaming : pipeline::Stores::plain;
    reduction_.member.run(trace::Stage::copy, shares_.size(rank) * element, pipeline::grain,
                          [=](std::size_t begin, std::size_t end) noexcept {
                            pipeline::copy(to + begin, from + begin, end - begin, stores);
                          });
  }
}

} // namespace helper::collective
