// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/operations.hpp"

#include <vector>

#include "groups/sysgroup/chunks.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"

namespace helper::groups::sysgroup {

namespace {

using pipeline::Stream;
using tree::Interval;

/// This member's part in a gather. The blocks that it holds are in the order of their ranks in one piece of
/// memory. That memory is the user's buffer if the buffer is contiguous.
class GatherSweep {
public:
  GatherSweep(team::Member& member, const Sysgroup& group, const GatherCall& call)
      : member_(member), group_(group), call_(call), shadow_(group.channel().shadow()),
        tree_(group.turned_to(call.root.value_or(0))), bytes_(call.bytes) {
    if (call.own) own_.emplace(view(*call.own, true));
    if (call.blocks) blocks_.emplace(view(*call.blocks, !call.own));
    const tree::Rank size = group.place().size;
    held_ = blocks_ ? std::vector{Interval{0, size}} : tree::complement(group.beyond(*tree_.above), size);
    make_room();
  }

  void finish() {
    std::vector<pipeline::Lane> lanes;
    lanes.emplace_back(member_, shadow_);
    pipeline::run(
        call_.function, lanes, 1, [this](pipeline::Lane& lane, std::size_t) { begin(lane); },
        [this](pipeline::Lane& lane, std::size_t) { pass_up(lane); },
        [this](pipeline::Lane& lane, std::size_t) { pass_down(lane); },
        [this](pipeline::Lane& lane, std::size_t) { unpack(lane); });
    if (blocks_) blocks_->store_back();
  }

private:
  Stream view(const ranks::Elements& of, bool readable) const {
    return stream_of(of.base, of.count, of.type, std::nullopt, shadow_, readable);
  }

  void make_room() {
    const bool has_own_alone = tree_.below.empty() && !blocks_;
    if (blocks_ && blocks_->is_dense()) {
      base_ = blocks_->dense();
    } else if (has_own_alone && own_->is_dense()) {
      base_ = own_->dense();
    } else {
      std::size_t blocks = 0;
      for (const auto& [first, end] : held_) blocks += static_cast<std::size_t>(end - first);
      staging_.emplace(blocks * bytes_, std::size_t{1}, shadow_);
      base_ = (*staging_)[0];
    }
  }

  /// Returns the address of the block of a rank. This process must hold the block.
  std::byte* at(tree::Rank rank) const {
    std::size_t before = 0;
    for (const auto& [first, end] : held_) {
      if (rank < end) return base_ + (before + static_cast<std::size_t>(rank - first)) * bytes_;
      before += static_cast<std::size_t>(end - first);
    }
    return nullptr;
  }

  void receive(pipeline::Lane& lane, std::size_t neighbour) const {
    for (const auto& [first, end] : group_.beyond(neighbour))
      lane.receive(at(first), static_cast<std::size_t>(end - first) * bytes_,
                   group_.neighbours()[neighbour].rank, tag(group_.port(), 0, SweepMessage::data));
  }

  /// Sends a neighbour the blocks of all members that are not in the neighbour's direction.
  void send(pipeline::Lane& lane, std::size_t neighbour) const {
    const auto& [to, port, process] = group_.neighbours()[neighbour];
    for (const auto& [first, end] : tree::complement(group_.beyond(neighbour), group_.place().size))
      lane.send(at(first), static_cast<std::size_t>(end - first) * bytes_, to,
                tag(port, 0, SweepMessage::data));
  }

  void begin(pipeline::Lane& lane) {
    for (const std::size_t neighbour : tree_.below) receive(lane, neighbour);
    std::byte* const place = at(group_.place().rank);
    if (own_) {
      if (place != own_->dense()) lane.pack(*own_, 0, bytes_, place);
    } else if (!blocks_->is_dense()) {
      lane.pack(*blocks_, static_cast<std::size_t>(group_.place().rank) * bytes_, bytes_, place);
    }
  }

  void pass_up(pipeline::Lane& lane) {
    if (!tree_.above) return;
    send(lane, *tree_.above);
    if (!call_.root) receive(lane, *tree_.above);
  }

  void pass_down(pipeline::Lane& lane) {
    if (call_.root) return;
    for (const std::size_t neighbour : tree_.below) send(lane, neighbour);
  }

  void unpack(pipeline::Lane& lane) {
    if (blocks_ && !blocks_->is_dense()) lane.unpack(*blocks_, 0, blocks_->size(), base_);
  }

  team::Member& member_;
  const Sysgroup& group_;
  const GatherCall& call_;
  const transport::Shadow& shadow_;
  const Sysgroup::Turned tree_;
  const std::size_t bytes_; // the size of a block
  std::optional<Stream> own_, blocks_;
  std::vector<Interval> held_; // ranks whose blocks this process holds
  std::byte* base_ = nullptr;  // the address of the first block
  std::optional<pipeline::Staging> staging_;
};

} // namespace

void gather(team::Member& member, const Sysgroup& group, const GatherCall& call) {
  GatherSweep(member, group, call).finish();
}

} // namespace helper::groups::sysgroup
