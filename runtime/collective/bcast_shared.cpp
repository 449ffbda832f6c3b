// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/bcast_shared.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "collective/bcast_tree.hpp"
#include "collective/chunks.hpp"
#include "collective/selection.hpp"
#include "collective/transfer.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/shared_staging.hpp"
#include "pipeline/store_choice.hpp"

namespace helper::collective {

namespace {

using pipeline::Lane;
using pipeline::SharedStaging;
using pipeline::StoreChoice;
using pipeline::Stores;
using pipeline::Stream;
using transport::Shadow;

/// What the root tells the other ranks.
struct Plan {
  std::int64_t chunk;                     // bytes
  std::int64_t slots;                     // how many slots the chunks take in turn; 0: they come in messages
  std::array<std::int64_t, lanes> offset; // where the slots lie in the root's part of the arena
};

struct RootLane : Lane {
  using Lane::Lane;
  std::byte* slot = nullptr;
  pipeline::PackToSlotJob pack;
};

struct LeafLane : Lane {
  using Lane::Lane;
  pipeline::UnpackJob unpack;
};

constexpr const char* operation = "MPI_Bcast";

constinit pipeline::StoreChoices choices;

/// One rank's part of one broadcast.
class Broadcast {
public:
  Broadcast(team::Member& member, const Shadow& shadow, const Stream& stream, int root)
      : member_(member), shadow_(shadow), stream_(stream), chunks_(stream, shadow.chunk()), root_(root) {}

  void send();
  void receive();

private:
  template <class Visit>
  void for_each_leaf(const Visit& visit) const {
    for (int rank = 0; rank < shadow_.size(); ++rank) {
      if (rank != root_) visit(rank);
    }
  }
  template <class AnyLane>
  std::vector<AnyLane> make_lanes(std::size_t count) const {
    std::vector<AnyLane> made;
    for (std::size_t index = 0; index < count; ++index) made.emplace_back(member_, shadow_);
    return made;
  }

  void send_by_slots(const SharedStaging& slots, Stores stores);
  void receive_from_slots(const Plan& plan);

  team::Member& member_;
  const Shadow& shadow_;
  const Stream& stream_;
  const Chunks chunks_;
  const int root_;
};

void Broadcast::send() {
  const bool messages = stream_.is_dense() && in_dense_messages(stream_.size());
  SharedStaging slots(messages ? 0 : std::min(lanes, chunks_.count()));
  Plan plan{};
  plan.chunk = static_cast<std::int64_t>(messages ? std::max(shadow_.chunk(), dense_chunk) : shadow_.chunk());
  plan.slots = static_cast<std::int64_t>(slots.count());
  for (std::size_t slot = 0; slot < slots.count(); ++slot) plan.offset[slot] = slots.offset(slot);
  for_each_leaf([&](int leaf) {
    transfer(operation, member_, shadow_, {&plan, leaf}, {}, sizeof plan, Message::plan);
  });
  if (plan.slots == 0) {
    bcast_tree(member_, shadow_, stream_, root_, static_cast<std::size_t>(plan.chunk));
    return;
  }
  StoreChoice& choice = choices.of(stream_.size(), stream_.is_dense());
  const Stores stores = choice.choose().stores;
  const auto begun = StoreChoice::Clock::now();
  send_by_slots(slots, stores); // if it fails, no rank reads the slots afterwards
  choice.learn(stores, stream_.size(), StoreChoice::Clock::now() - begun);
}

void Broadcast::send_by_slots(const SharedStaging& slots, Stores stores) {
  auto in_flight = make_lanes<RootLane>(slots.count());
  for (std::size_t index = 0; index < slots.count(); ++index) in_flight[index].slot = slots[index];
  pipeline::run(
      operation, in_flight, chunks_.count(),
      [&](RootLane& lane, std::size_t chunk) {
        lane.pack = {&stream_, chunks_.begin(chunk), lane.slot, stores};
        lane.offer(lane.pack, chunks_.size(chunk), pipeline::grain);
      },
      [&](RootLane& lane, std::size_t chunk) {
        for_each_leaf([&](int leaf) {
          lane.receive(nullptr, 0, leaf, tag(Message::consumed, chunk)); // awaited even if what follows fails
          lane.send(nullptr, 0, leaf, tag(Message::ready, chunk));
        });
      });
}

void Broadcast::receive_from_slots(const Plan& plan) {
  auto in_flight = make_lanes<LeafLane>(static_cast<std::size_t>(plan.slots));
  pipeline::run(
      operation, in_flight, chunks_.count(),
      [&](LeafLane& lane, std::size_t chunk) { lane.receive(nullptr, 0, root_, tag(Message::ready, chunk)); },
      [&](LeafLane& lane, std::size_t chunk) {
        const std::size_t slot = chunk % in_flight.size();
        lane.unpack = {&stream_, chunks_.begin(chunk), shadow_.part(root_) + plan.offset[slot]};
        lane.offer(lane.unpack, chunks_.size(chunk), pipeline::grain);
      },
      [&](LeafLane& lane, std::size_t chunk) {
        lane.send(nullptr, 0, root_, tag(Message::consumed, chunk));
      });
}

void Broadcast::receive() {
  Plan plan{};
  transfer(operation, member_, shadow_, {}, {&plan, root_}, sizeof plan, Message::plan);
  if (plan.slots == 0) {
    bcast_tree(member_, shadow_, stream_, root_, static_cast<std::size_t>(plan.chunk));
  } else {
    receive_from_slots(plan);
  }
}

} // namespace

void bcast_shared(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  Broadcast broadcast(member, shadow, stream, root);
  if (shadow.rank() == root) {
    broadcast.send();
  } else {
    broadcast.receive();
  }
}

} // namespace helper::collective
