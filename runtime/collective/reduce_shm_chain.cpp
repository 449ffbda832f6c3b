// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "collective/shared_operation.hpp"
#include "collective/slots.hpp"
#include "pipeline/staging.hpp"
#include "pipeline/stream.hpp"

namespace helper::collective {

namespace {

using pipeline::SharedStaging;

// The most bytes of a piece. A rank without slots has only its payload, which has room for one piece.
constexpr std::size_t piece_most = SharedOperation::payload_bytes;
// The number of pieces that are combined, or stored, at a time, so that waking a sleeping rank pays.
constexpr std::size_t pieces_at_a_time = 8;

// The step of each flag is a number of pieces, counted from the first piece.
enum : std::size_t {
  combined, // pieces combined with those of all lower ranks; the note has the rank's offer
  taken     // results that the rank has stored, or does not need
};

/// The places of a rank's combined elements: pieces in slots, or one piece at a time in its payload.
template <class Byte>
class Places {
public:
  Places(std::vector<Byte*> areas, std::size_t pieces_in_each, std::size_t piece)
      : areas_(std::move(areas)), each_(pieces_in_each), piece_(piece) {}

  /// Returns how many pieces have a place at a time.
  std::size_t count() const { return areas_.size() * each_; }
  Byte* of(std::size_t piece) const { return areas_[piece / each_ % areas_.size()] + piece % each_ * piece_; }
  /// Returns the end of the row of adjacent pieces that begins with this one.
  std::size_t end_of_row(std::size_t piece) const { return (piece / each_ + 1) * each_; }

private:
  std::vector<Byte*> areas_;
  std::size_t each_;
  std::size_t piece_;
};

class ShmChain {
public:
  ShmChain(const Reduction& reduction, const Stream& from, const Stream* to)
      : reduction_(reduction), from_(from), to_(to), self_(reduction.rank()), last_(reduction.ranks() - 1),
        element_(reduction.reducer.element()), piece_(piece_most / element_ * element_),
        pieces_((from.size() + piece_ - 1) / piece_), in_slot_(reduction.shadow.chunk() / piece_),
        slot_bytes_(std::min(in_slot_, pieces_) * piece_),
        slots_(slots_of_use(), slot_bytes_,
               pipeline::are_better_in_rooms(from.size(), pipeline::Stores::plain)),
        shared_(reduction.operation, reduction.member, reduction.shadow), places_(offer()) {}

  void run() {
    if (to_ == nullptr) {
      taken_ = pieces_;
      shared_.show_silently(taken, taken_);
    }
    while (combined_ < pieces_ || taken_ < pieces_) {
      std::size_t to_combine = 0;
      std::size_t to_take = 0;
      shared_.await([&] {
        to_combine = end_of_combining();
        to_take = end_of_taking();
        return to_combine > combined_ || to_take > taken_;
      });
      if (to_combine > combined_) {
        combine(to_combine); // first, since all later ranks wait for it
      } else {
        take(to_take);
      }
    }
    shared_.await([this] { return used() >= pieces_; });
    shared_.leave();
  }

private:
  std::size_t slots_of_use() const {
    return in_slot_ == 0 ? 0 : std::min(lanes, (pieces_ + in_slot_ - 1) / in_slot_);
  }
  template <class Byte>
  Places<Byte> places(std::vector<Byte*> slots, Byte* payload) const {
    if (slots.empty() || in_slot_ == 0) return {{payload}, 1, piece_};
    return {std::move(slots), in_slot_, piece_};
  }

  Places<std::byte> offer() {
    shared_.note<SlotOffer>(combined) = SlotOffer::of(slots_);
    std::vector<std::byte*> slots;
    for (std::size_t slot = 0; slot < slots_.count(); ++slot) slots.push_back(slots_[slot]);
    std::byte* const payload = slots.empty() ? shared_.payload<std::byte>() : nullptr;
    return places(std::move(slots), payload);
  }

  Places<const std::byte> places_of(std::size_t rank) const {
    const SlotOffer& offer = shared_.note<SlotOffer>(rank, combined);
    std::vector<const std::byte*> slots;
    for (std::size_t slot = 0; slot < offer.count; ++slot)
      slots.push_back(offer.find(reduction_.shadow, rank, slot, slot_bytes_));
    return places(std::move(slots), shared_.payload<std::byte>(rank));
  }

  /// Returns how many of the own pieces nobody reads any more.
  std::size_t used() const { return self_ != last_ ? shared_.step(self_ + 1, combined) : taken_by_all(); }

  std::size_t taken_by_all() const {
    std::size_t least = taken_;
    for (std::size_t rank = 0; rank <= last_; ++rank) {
      if (rank != self_) least = std::min<std::size_t>(least, shared_.step(rank, taken));
    }
    return least;
  }

  void wake_takers() const {
    for (std::size_t rank = 0; rank < last_; ++rank) {
      if (shared_.step(rank, taken) < pieces_) shared_.wake(rank);
    }
  }

  /// Wakes the previous rank if it may wait until this rank has combined more than `combined_before` pieces:
  /// it had no place left, or it has combined and taken all its pieces.
  void wake_rank_before(std::size_t combined_before) const {
    // With this fence, if two ranks read each other's step, one of them sees the other's write.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool was_full = shared_.step(self_ - 1, combined) == combined_before + before_->count();
    const bool is_through = combined_ == pieces_ && shared_.step(self_ - 1, taken) == pieces_;
    if (was_full || is_through) shared_.wake(self_ - 1);
  }

  std::size_t end_of_combining() {
    std::size_t end = std::min({pieces_, combined_ + pieces_at_a_time, places_.end_of_row(combined_)});
    if (self_ != 0) {
      end = std::min<std::size_t>(end, shared_.step(self_ - 1, combined));
      if (end <= combined_) return combined_;
      if (!before_) before_ = places_of(self_ - 1);
      end = std::min(end, before_->end_of_row(combined_));
    }
    return std::min(end, used() + places_.count());
  }

  std::size_t end_of_taking() {
    const std::size_t end = std::min<std::size_t>(taken_ + pieces_at_a_time, shared_.step(last_, combined));
    if (end <= taken_) return taken_;
    if (!results_) results_ = places_of(last_);
    return std::min({pieces_, end, results_->end_of_row(taken_)});
  }

  void combine(std::size_t end) {
    const std::size_t elements = bytes(combined_, end) / element_;
    if (reduction_.reducer.helpers_may()) {
      reduction_.member.run(
          trace::Stage::reduce, elements, pipeline::grain_of(reduction_.reducer),
          [this](std::size_t from, std::size_t to) noexcept { combine_elements(combined_, from, to); });
    } else {
      const trace::Chunk recorded = reduction_.member.own_chunk(trace::Stage::reduce, elements);
      combine_elements(combined_, 0, elements);
    }
    const std::size_t combined_before = std::exchange(combined_, end);
    shared_.show_silently(combined, combined_);
    if (self_ != last_) {
      shared_.wake(self_ + 1);
    } else if (combined_ == pieces_ || combined_ == used() + places_.count()) {
      wake_takers(); // only now, since waking them after every few pieces takes long
    }
    if (self_ != 0) wake_rank_before(combined_before);
  }

  /// Combines elements [begin, end), counted from the start of piece `first`.
  void combine_elements(std::size_t first, std::size_t begin, std::size_t end) const {
    const std::size_t at = first * piece_;
    std::byte* const out = places_.of(first);
    if (self_ == 0) return from_.pack(at + begin * element_, at + end * element_, out + begin * element_);
    if (from_.is_dense()) {
      const std::array operands{before_->of(first), static_cast<const std::byte*>(from_.dense() + at)};
      return reduction_.reducer.reduce(operands, begin, end, out);
    }
    const std::array operands{before_->of(first), static_cast<const std::byte*>(out)};
    const std::size_t most = piece_ / element_; // what has been packed should still be in the cache
    for (std::size_t next = begin; next < end; next += most) {
      const std::size_t stop = std::min(next + most, end);
      from_.pack(at + next * element_, at + stop * element_, out + next * element_);
      reduction_.reducer.reduce(operands, next, stop, out);
    }
  }

  void take(std::size_t end) {
    const std::byte* const result = results_->of(taken_);
    reduction_.member.run(trace::Stage::unpack, bytes(taken_, end), pipeline::grain,
                          [&](std::size_t first, std::size_t last) noexcept {
                            pipeline::store(*to_, taken_ * piece_ + first, last - first, result + first);
                          });
    const std::size_t taken_before = std::exchange(taken_, end);
    shared_.show_silently(taken, taken_);
    // Of the ranks that had taken the fewest pieces, the last to pass this fence sees that all took more.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (self_ != last_ && taken_by_all() > taken_before) shared_.wake(last_);
  }

  std::size_t bytes(std::size_t first, std::size_t end) const {
    return std::min(end * piece_, from_.size()) - first * piece_;
  }

  const Reduction& reduction_;
  const Stream& from_;
  const Stream* const to_;
  const std::size_t self_, last_;
  const std::size_t element_;
  const std::size_t piece_; // bytes
  const std::size_t pieces_;
  const std::size_t in_slot_; // pieces
  const std::size_t slot_bytes_;
  const SharedStaging slots_; // outlives shared_, after whose end nobody reads the slots
  SharedOperation shared_;
  const Places<std::byte> places_;
  std::optional<Places<const std::byte>> before_; // of the previous rank, once it has shown something
  std::optional<Places<const std::byte>> results_;
  std::size_t combined_ = 0;
  std::size_t taken_ = 0;
};

} // namespace

void reduce_shm_chain(const Reduction& reduction, const Stream& from, const Stream* to) {
  ShmChain(reduction, from, to).run();
}

} // namespace helper::collective
