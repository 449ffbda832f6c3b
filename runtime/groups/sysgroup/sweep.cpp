// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/sweep.hpp"

#include <algorithm>

#include "groups/sysgroup/chunks.hpp"
#include "pipeline/stores.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/node_context.hpp"
#include "shm/shared_cache.hpp"

namespace helper::groups::sysgroup {

namespace {

using shm::SharedCache;

constexpr int advances_between_checks = 64;

/// The stages of a chunk. The name of a stage says what has happened when the stage begins.
enum : std::size_t {
  begins,      ///< awaits messages of the members below
  has_notes,   ///< awaits the data that follow their notes, packs
  has_all,     ///< combines
  is_combined, ///< passes the result up, releases chunks of the members below
  is_up,       ///< awaits a message of the member above
  has_note,    ///< awaits the data that follow its note
  has_result,  ///< passes the result down, unpacks
  is_done,     ///< releases the chunk of the member above
  stages
};

} // namespace

Sweep::Sweep(team::Member& member, std::shared_ptr<const Sysgroup> group, const SweepCall& call)
    : member_(member), group_(std::move(group)), call_(call), shadow_(group_->channel().shadow()) {
  if (call_.from)
    from_.emplace(stream_of(*call_.from, call_.count, call_.type, call_.reducer, shadow_, true));
  if (call_.to) to_.emplace(stream_of(*call_.to, call_.count, call_.type, call_.reducer, shadow_, false));
  bytes_ = from_ ? from_->size() : to_ ? to_->size() : 0;
  chunk_ = chunk_size(bytes_, call_.reducer ? call_.reducer->element() : 64, shadow_.chunk());
  Sysgroup::Turned tree = group_->turned_to(call_.root);
  above_ = tree.above;
  below_ = std::move(tree.below);
  make_lanes();
}

void Sweep::make_lanes() {
  // Without data there is one empty chunk, whose message shows that the sender has come.
  count_ = chunk_ == 0 ? 1 : (bytes_ + chunk_ - 1) / chunk_;
  most_lanes_ = std::min(most_in_flight, count_);
  if (bytes_ > few && chunk_ <= shadow_.chunk()) {
    for (const Sysgroup::Neighbour& neighbour : group_->neighbours())
      if (neighbour.is_near()) near_.push_back(neighbour.process);
  }
  if (!near_.empty()) {
    stores_ = pipeline::stores_of(bytes_, SharedCache::own().with(near_) == SharedCache::Answer::yes);
    slots_.emplace(most_lanes_, std::min(chunk_, bytes_), pipeline::are_better_in_rooms(bytes_, stores_));
  }
  if (slots_ && slots_->count() != most_lanes_) {
    slots_.reset();
    stores_ = pipeline::Stores::plain;
  }
  if (!slots_ && chunk_ != 0) staging_.emplace(chunk_, most_lanes_, shadow_);
  // There are most_lanes_ lanes, as at other members, or one lane if memory is short. A member with one lane
  // shows no data: is_acknowledged() assumes that a slot is used again after most_lanes_ chunks.
  const std::size_t lanes = slots_ || (staging_ && staging_->count() == most_lanes_) ? most_lanes_ : 1;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    SweptChunk& chunk = chunks_.emplace_back(member_, shadow_);
    chunk.packed = slots_ ? (*slots_)[lane] : staging_ ? (*staging_)[lane] : nullptr;
    if (slots_) chunk.own = {group_->world_rank(), slots_->offset(lane)};
    chunk.notes.resize(group_->neighbours().size());
  }
  flow_.emplace(lanes, count_, stages);
}

void Sweep::finish() {
  pipeline::finish(
      call_.function, chunks_, *flow_,
      [this](std::size_t stage, SweptChunk& chunk, std::size_t index) { start(stage, chunk, index); });
  if (to_) to_->store_back();
}

bool Sweep::advance() {
  const auto begin = [this](std::size_t stage, SweptChunk& chunk, std::size_t index) {
    start(stage, chunk, index);
  };
  try {
    while (!flow_->over() && (flow_->advance(chunks_, begin) || member_.help())) {
    }
    if (!flow_->over() && ++advances_ % advances_between_checks == 0) shadow_.failure().check_peers();
    if (flow_->over() && to_) to_->store_back();
    return flow_->over();
  } catch (...) {
    pipeline::abandon(chunks_);
    throw;
  }
}

void Sweep::start(std::size_t stage, SweptChunk& chunk, std::size_t index) {
  const bool comes_down = call_.spreads && above_;
  // Measuring shared caches needs several steps by both neighbours within a short time: one step per stage.
  if (index == 0 && !near_.empty()) SharedCache::own().look(near_);
  switch (stage) {
  case begins:
    if (call_.gathers)
      for (const std::size_t neighbour : below_) await(chunk, index, neighbour);
    return;
  case has_notes:
    if (call_.gathers)
      for (const std::size_t neighbour : below_) await_bytes(chunk, index, neighbour);
    return contribute(chunk, index);
  case has_all:
    if (call_.gathers) combine(chunk, index);
    return;
  case is_combined:
    if (call_.gathers) pass_up(chunk, index);
    return;
  case is_up:
    if (comes_down) await(chunk, index, *above_);
    return;
  case has_note:
    if (comes_down) await_bytes(chunk, index, *above_);
    return;
  case has_result:
    return pass_down(chunk, index);
  default:
    if (comes_down) acknowledge(chunk, index, *above_);
  }
}

/// Provides this member's contribution to a chunk. Runs once the notes from below have arrived: until then
/// other processes may read the result of the lane's previous chunk in `packed` (see is_acknowledged()).
void Sweep::contribute(SweptChunk& chunk, std::size_t index) {
  if (!from_) return;
  // Data combined or sent here stay in the user's buffer. Data that other processes read are copied.
  const bool is_shown = chunk.own.owner != PlaceNote::follows && !(call_.gathers && !below_.empty());
  chunk.place = is_shown ? chunk.own : PlaceNote{};
  if (from_->is_dense() && !is_shown) {
    chunk.data = from_->dense() + offset(index);
    return;
  }
  chunk.data = chunk.packed;
  chunk.pack(*from_, offset(index), bytes(index), chunk.packed, is_shown ? stores_ : pipeline::Stores::plain);
}

void Sweep::combine(SweptChunk& chunk, std::size_t index) {
  if (below_.empty() || !call_.reducer) return;
  chunk.operands.assign(1, chunk.data);
  for (const std::size_t neighbour : below_) chunk.operands.push_back(arrived(chunk, index, neighbour));
  // At the root of a reduction the result can be written to the user's buffer directly.
  const bool is_last = !above_ && !call_.spreads && to_->is_dense();
  std::byte* const out = is_last ? to_->dense() + offset(index) : chunk.packed;
  chunk.data = out;
  chunk.place = is_last ? PlaceNote{} : chunk.own;
  const std::size_t elements = bytes(index) / call_.reducer->element();
  const bool is_plain = is_last || !call_.reducer->helpers_may();
  pipeline::start_reducing(
      *call_.reducer, chunk, elements,
      [this, &chunk, is_plain, out, at = offset(index)](std::size_t begin, std::size_t end) {
        if (is_plain) return call_.reducer->reduce(chunk.operands, begin, end, out);
        combine_elements(chunk, at, begin, end);
      });
}

/// Returns whether the root writes the combined result to the user's buffer as well.
bool Sweep::combines_for_user() const {
  return !above_ && !below_.empty() && call_.reducer && call_.reducer->helpers_may();
}

/// Combines the elements [begin, end) of a chunk, for other processes to read and, at the root, for the user.
/// The chunk begins at byte `offset` of the data.
void Sweep::combine_elements(const SweptChunk& chunk, std::size_t offset, std::size_t begin,
                             std::size_t end) const noexcept {
  const bool for_user = combines_for_user();
  std::byte* const out = for_user ? pipeline::target(*to_, offset) : nullptr;
  reduction::reduce_in_pieces(*call_.reducer, chunk.operands, begin, end, out,
                              [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
                                pipeline::copy_unordered(chunk.packed + at, piece, bytes, stores_);
                                if (for_user && out == nullptr)
                                  pipeline::store_unordered(*to_, offset + at, bytes, piece);
                              });
  if (stores_ == pipeline::Stores::streaming || out == nullptr) layout::order_past_caches();
}

void Sweep::pass_up(SweptChunk& chunk, std::size_t index) {
  for (const std::size_t neighbour : below_) acknowledge(chunk, index, neighbour);
  if (above_) pass(chunk, index, *above_);
}

void Sweep::pass_down(SweptChunk& chunk, std::size_t index) {
  if (call_.spreads && above_) {
    chunk.data = arrived(chunk, index, *above_);
    chunk.place = shows(*above_) ? chunk.notes[*above_] : PlaceNote{};
  }
  if (call_.spreads)
    for (const std::size_t neighbour : below_) pass(chunk, index, neighbour);
  if (!to_ || bytes_ == 0 || combines_for_user()) return;
  if (to_->is_dense() && chunk.data == to_->dense() + offset(index)) return;
  chunk.offer(
      trace::Stage::unpack, bytes(index), pipeline::grain,
      [&to = *to_, at = offset(index), packed = chunk.data](std::size_t begin, std::size_t end) noexcept {
        pipeline::store(to, at + begin, end - begin, packed + begin);
      });
}

/// Returns whether this process and a neighbour send each other notes.
bool Sweep::shows(std::size_t neighbour) const {
  return bytes_ > few && group_->neighbours()[neighbour].is_near();
}

/// Returns memory for the bytes that a neighbour sends.
std::byte* Sweep::room(SweptChunk& chunk, std::size_t neighbour) {
  if (!chunk.received)
    chunk.received =
        std::make_unique<pipeline::Staging>(chunk_ * chunk.notes.size(), std::size_t{1}, shadow_);
  return (*chunk.received)[0] + chunk_ * neighbour;
}

/// Makes the chunk's lane await the note of a neighbour, or the bytes if the neighbour sends no notes.
void Sweep::await(SweptChunk& chunk, std::size_t index, std::size_t neighbour) {
  const int from = group_->neighbours()[neighbour].rank;
  if (shows(neighbour))
    return chunk.receive(&chunk.notes[neighbour], sizeof(PlaceNote), from,
                         tag(group_->port(), index, SweepMessage::note));
  std::byte* const into = bytes_ == 0 ? nullptr : room(chunk, neighbour);
  chunk.receive(into, bytes(index), from, tag(group_->port(), index, SweepMessage::data));
}

/// Makes the chunk's lane await the bytes if the note, which has arrived, says that they follow.
void Sweep::await_bytes(SweptChunk& chunk, std::size_t index, std::size_t neighbour) {
  if (!shows(neighbour) || chunk.notes[neighbour].owner != PlaceNote::follows) return;
  chunk.receive(room(chunk, neighbour), bytes(index), group_->neighbours()[neighbour].rank,
                tag(group_->port(), index, SweepMessage::data));
}

/// Returns the address of the bytes that have arrived from a neighbour.
const std::byte* Sweep::arrived(SweptChunk& chunk, std::size_t index, std::size_t neighbour) {
  if (bytes_ == 0) return nullptr;
  if (!shows(neighbour) || chunk.notes[neighbour].owner == PlaceNote::follows) return room(chunk, neighbour);
  const PlaceNote& note = chunk.notes[neighbour];
  const std::byte* const part = shm::arena().part(static_cast<int>(note.owner));
  const auto at = static_cast<std::size_t>(note.offset);
  if (part == nullptr || !shm::arena().holds(at, bytes(index)))
    throw ranks::MpiError(MPI_COMM_WORLD, MPI_ERR_INTERN);
  return part + at;
}

/// Returns whether a neighbour that was shown chunk `index` at `place` sends an acknowledgement when it no
/// longer needs the chunk. `goes_up`: the neighbour is above. Without an acknowledgement, the owner learns
/// from later messages that it may write to the slot again:
/// - Once the result comes from above, nobody needs the contribution.
/// - Once all members below have sent their contributions to the lane's next chunk, nobody needs the result.
/// Each of them, and each process that got the note from them, has then finished this chunk.
bool Sweep::is_acknowledged(std::size_t index, const PlaceNote& place, bool goes_up) const {
  if (place.owner == PlaceNote::follows) return false;
  return goes_up ? !call_.spreads : !call_.gathers || index + most_lanes_ >= count_;
}

/// Passes a chunk to a neighbour.
void Sweep::pass(SweptChunk& chunk, std::size_t index, std::size_t neighbour) {
  const auto& [to, port, process] = group_->neighbours()[neighbour];
  if (shows(neighbour)) {
    if (is_acknowledged(index, chunk.place, neighbour == above_)) // awaited even if the following calls fail
      chunk.receive(nullptr, 0, to, tag(group_->port(), index, SweepMessage::acknowledgement));
    chunk.send(&chunk.place, sizeof(PlaceNote), to, tag(port, index, SweepMessage::note));
    if (chunk.place.owner != PlaceNote::follows) return;
  }
  chunk.send(chunk.data, bytes(index), to, tag(port, index, SweepMessage::data));
}

/// Tells a neighbour that this process no longer needs the data that the neighbour has shown.
void Sweep::acknowledge(SweptChunk& chunk, std::size_t index, std::size_t neighbour) {
  if (!shows(neighbour) || !is_acknowledged(index, chunk.notes[neighbour], neighbour != above_)) return;
  const Sysgroup::Neighbour& other = group_->neighbours()[neighbour];
  chunk.send(nullptr, 0, other.rank, tag(other.port, index, SweepMessage::acknowledgement));
}

} // namespace helper::groups::sysgroup
