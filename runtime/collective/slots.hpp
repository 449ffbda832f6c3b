// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collective/selection.hpp"
#include "collective/shared_operation.hpp"
#include "pipeline/staging.hpp"

namespace helper::collective {

/// The message of a rank about the slots that it has leased.
struct SlotOffer {
  std::uint32_t count;
  std::uint32_t in_a_row;                 // how many slots the rank would join to one; 0 or 1: none
  std::array<std::int64_t, lanes> offset; // offset in its part of the arena

  static SlotOffer of(const pipeline::SharedStaging& leased) noexcept;

  /// Returns slot `index`, of `bytes` bytes, of the rank that made the offer. Throws MpiError if invalid.
  const std::byte* find(const Shadow& shadow, std::size_t rank, std::size_t index, std::size_t bytes) const;
};

/// The slots of the arena for an operation in rounds. A rank has a slot for each lane, and alone writes it.
/// Keep the object until the operation ends or fails. After a failure nobody uses what was read in slots.
class Slots {
public:
  /// What a rank has done in a round. It packs a slot again when all ranks have consumed what the slot holds.
  enum class Step : std::uint64_t { packed = 1, reduced, consumed };
  static constexpr std::uint64_t most_rounds = SharedOperation::most_steps / 4;

  /// Leases up to `most` slots, and learns the slots of the other ranks. `bytes` is the size of a slot: equal
  /// at all ranks, at most a chunk. count() becomes the least number that a rank has leased, possibly 0. If
  /// every rank has several adjacent slots, up to `joined` of them become one large slot. `in_rooms`: see
  /// SharedStaging. Blocks. Throws PeerGaveUp.
  Slots(SharedOperation& shared, const Shadow& shadow, std::size_t most, std::size_t joined,
        std::size_t bytes, bool in_rooms);

  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return bytes_; } ///< of a slot
  std::byte* own(std::size_t lane) const noexcept { return own_[lane]; }
  const std::byte* of(std::size_t rank, std::size_t lane) const noexcept {
    return slots_[rank * count_ + lane];
  }

  /// Shows the others the step that this rank has done.
  void show(std::size_t lane, std::size_t round, Step step) const noexcept;

  /// Makes `waiting` wait until rank `rank` has done that step.
  void await(pipeline::Lane& waiting, std::size_t rank, std::size_t lane, std::size_t round, Step step) const;

private:
  const pipeline::SharedStaging own_;
  SharedOperation& shared_;
  std::size_t count_, bytes_;
  std::vector<const std::byte*> slots_; // of every rank, one after the other
};

} // namespace helper::collective
