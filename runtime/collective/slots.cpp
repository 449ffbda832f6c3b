// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/slots.hpp"

#include <algorithm>

#include "ranks/mpi_error.hpp"
#include "shm/division.hpp"

namespace helper::collective {

namespace {

// The note of the first flag is the offer. After it there is a flag for each lane.
constexpr std::size_t offered = 0;
constexpr std::size_t flag_of_lane(std::size_t lane) {
  return 1 + lane;
}
static_assert(flag_of_lane(lanes) <= std::tuple_size_v<decltype(shm::ControlBlock::flags)>);

constexpr std::uint64_t step_of(std::size_t round, Slots::Step step) {
  return round * 4 + static_cast<std::uint64_t>(step);
}

/// Returns how many slots, from the first on, are adjacent. Each has `bytes` bytes.
std::uint32_t in_a_row(const SlotOffer& offer, std::size_t bytes) noexcept {
  const auto stride = static_cast<std::int64_t>(shm::slot_stride(bytes));
  std::uint32_t slots = std::min(offer.count, 1U);
  while (slots < offer.count && offer.offset[slots] - offer.offset[slots - 1] == stride) ++slots;
  return slots;
}

} // namespace

SlotOffer SlotOffer::of(const pipeline::SharedStaging& leased) noexcept {
  SlotOffer offer{static_cast<std::uint32_t>(leased.count()), 0, {}};
  for (std::size_t slot = 0; slot < leased.count(); ++slot) offer.offset[slot] = leased.offset(slot);
  return offer;
}

const std::byte* SlotOffer::find(const Shadow& shadow, std::size_t rank, std::size_t index,
                                 std::size_t bytes) const {
  const std::byte* slot = nullptr;
  if (index < offset.size())
    slot = shadow.control()->find(static_cast<int>(rank), static_cast<std::size_t>(offset[index]), bytes);
  if (slot != nullptr) return slot;
  throw ranks::MpiError(shadow.user(), MPI_ERR_INTERN);
}

Slots::Slots(SharedOperation& shared, const Shadow& shadow, std::size_t most, std::size_t joined,
             std::size_t bytes, bool in_rooms)
    : own_(std::min(std::max(most, joined), lanes), bytes, in_rooms), shared_(shared), count_(own_.count()),
      bytes_(bytes) {
  SlotOffer& own = shared_.note<SlotOffer>(offered) = SlotOffer::of(own_);
  own.in_a_row = joined > 1 ? in_a_row(own, bytes) : 0;
  own.count = static_cast<std::uint32_t>(std::min<std::size_t>(own.count, most));
  shared_.show(offered, 1);
  shared_.await_all(offered, 1);

  const auto ranks = static_cast<std::size_t>(shadow.size());
  std::size_t row = lanes;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const SlotOffer& other = shared_.note<SlotOffer>(rank, offered);
    count_ = std::min<std::size_t>(count_, other.count);
    row = std::min<std::size_t>(row, other.in_a_row);
  }
  if (row > 1) {
    count_ = 1;
    bytes_ += (row - 1) * shm::slot_stride(bytes);
  }
  slots_.reserve(ranks * count_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const SlotOffer& other = shared_.note<SlotOffer>(rank, offered);
    for (std::size_t slot = 0; slot < count_; ++slot)
      slots_.push_back(other.find(shadow, rank, slot, bytes_));
  }
}

void Slots::show(std::size_t lane, std::size_t round, Step step) const noexcept {
  shared_.show(flag_of_lane(lane), step_of(round, step));
}

void Slots::await(pipeline::Lane& waiting, std::size_t rank, std::size_t lane, std::size_t round,
                  Step step) const {
  shared_.await(waiting, rank, flag_of_lane(lane), step_of(round, step));
}

} // namespace helper::collective
