// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/slots.hpp"

#include <algorithm>

#include "ranks/mpi_error.hpp"

namespace helper::collective {

namespace {

// The first mark has the offer; then follows a mark for each lane.
constexpr std::size_t offered = 0;
constexpr std::size_t mark_of_lane(std::size_t lane) {
  return 1 + lane;
}
static_assert(mark_of_lane(lanes) <= std::tuple_size_v<decltype(shm::Frame::marks)>);

constexpr std::uint64_t step_of(std::size_t round, Slots::Step step) {
  return round * 4 + static_cast<std::uint64_t>(step);
}

} // namespace

SlotOffer SlotOffer::of(const pipeline::SharedStaging& leased) noexcept {
  SlotOffer offer{leased.count(), {}};
  for (std::size_t slot = 0; slot < leased.count(); ++slot) offer.offset[slot] = leased.offset(slot);
  return offer;
}

const std::byte* SlotOffer::find(const Shadow& shadow, std::size_t rank, std::size_t index,
                                 std::size_t bytes) const {
  const std::byte* slot = nullptr;
  if (index < offset.size())
    slot = shadow.window()->find(static_cast<int>(rank), static_cast<std::size_t>(offset[index]), bytes);
  if (slot != nullptr) return slot;
  throw ranks::MpiError(shadow.user(), MPI_ERR_INTERN);
}

Slots::Slots(SharedOperation& shared, const Shadow& shadow, std::size_t most, std::size_t bytes,
             bool in_rooms)
    : own_(std::min(most, lanes), bytes, in_rooms), shared_(shared), count_(own_.count()) {
  shared_.note<SlotOffer>(offered) = SlotOffer::of(own_);
  shared_.show(offered, 1);
  shared_.await_all(offered, 1);

  const auto ranks = static_cast<std::size_t>(shadow.size());
  for (std::size_t rank = 0; rank < ranks; ++rank)
    count_ = std::min<std::size_t>(count_, shared_.note<SlotOffer>(rank, offered).count);
  slots_.reserve(ranks * count_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const SlotOffer& other = shared_.note<SlotOffer>(rank, offered);
    for (std::size_t slot = 0; slot < count_; ++slot) slots_.push_back(other.find(shadow, rank, slot, bytes));
  }
}

void Slots::show(std::size_t lane, std::size_t round, Step step) const noexcept {
  shared_.show(mark_of_lane(lane), step_of(round, step));
}

void Slots::await(pipeline::Lane& waiting, std::size_t rank, std::size_t lane, std::size_t round,
                  Step step) const {
  shared_.await(waiting, rank, mark_of_lane(lane), step_of(round, step));
}

} // namespace helper::collective
