// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/hash.hpp"

namespace helper::groups::tree {

EnrolmentMessage Hash::first_descent(Branch& branch) {
  EnrolmentMessage message = controlling(EnrolmentMessage::Kind::descent, branch);
  message.put(0);
  message.put(branch.size);
  return message;
}

void Hash::descend(Id, MessageReader& reader, Sink& sink) {
  const Rank rank = reader.get();
  const Rank size = reader.get();
  Rank next = participates() ? rank + 1 : rank;
  for (Branch& branch : branches()) {
    if (branch.size == 0) continue;
    EnrolmentMessage message = controlling(EnrolmentMessage::Kind::descent, branch);
    message.put(next);
    message.put(size);
    send(branch.root.id, std::move(message), sink);
    next += branch.size;
  }
  branches() = {};
  if (participates()) enter(rank, size, sink);
}

void Hash::enter(Rank rank, Rank size, Sink& sink) {
  const int below = children(rank, size, branching());
  coming_ = Place{place().id,
                  rank,
                  size,
                  depth(rank, branching()),
                  0,
                  nobody,
                  branching(),
                  Place::Numbering::by_level,
                  std::vector<Place::Child>(static_cast<std::size_t>(below))};
  missing_ = (rank > 0 ? 1 : 0) + (below > 0 ? 1 : 0);
  register_at(rank, size, sink);
  if (rank > 0) register_at(parent(rank, branching()), size, sink);
  if (missing_ == 0) set_group(*std::exchange(coming_, std::nullopt));
}

void Hash::register_at(Rank at, Rank size, Sink& sink) {
  pass_on({at, coming_->rank, place().id, size}, sink);
}

void Hash::pass_on(const Registration& registration, Sink& sink) {
  const auto& [at, rank, who, size] = registration;
  const Rank introducer = introducer_of(at);
  const Id to = introducer == place().rank ? place().id : place().toward(introducer);
  send(to, EnrolmentMessage(EnrolmentMessage::Kind::registration, {at, rank, who, size}), sink);
}

void Hash::handle_other(Id, const EnrolmentMessage& message, Sink& sink) {
  MessageReader reader(message);
  if (message.kind() == EnrolmentMessage::Kind::introduction) return meet(reader);
  const Registration registration{reader.get(), reader.get(), reader.get(), reader.get()};
  if (introducer_of(registration.at) == place().rank)
    note(registration, sink);
  else
    pass_on(registration, sink);
}

void Hash::meet(MessageReader& reader) {
  const bool are_children = reader.get() != 0;
  const auto neighbours = reader.get_words();
  if (are_children)
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      coming_->children[i] = {neighbours[i], child(coming_->rank, static_cast<int>(i), branching())};
  else
    coming_->parent = neighbours.front();
  if (--missing_ == 0) set_group(*std::exchange(coming_, std::nullopt));
}

/// Notes a registration, as introducer.
void Hash::note(const Registration& registration, Sink& sink) {
  const auto& [at, rank, who, size] = registration;
  const int expected = children(at, size, branching());
  below_.resize(static_cast<std::size_t>(expected));
  if (rank == at)
    above_ = who;
  else
    below_[static_cast<std::size_t>(rank - child(at, 0, branching()))] = who;
  if (++registered_ == 1 + expected && expected > 0) introduce(sink);
}

void Hash::introduce(Sink& sink) {
  const auto tell = [&](Id to, bool are_children, std::span<const Id> neighbours) {
    EnrolmentMessage message(EnrolmentMessage::Kind::introduction, {are_children ? 1 : 0});
    message.put(neighbours);
    send(to, std::move(message), sink);
  };
  tell(above_, true, below_);
  for (const Id child : below_) tell(child, false, std::span(&above_, 1));
  below_ = {};
}

std::size_t Hash::memory() const {
  return sizeof *this + heap() + heap_bytes(below_) + (coming_ ? heap_bytes(coming_->children) : 0);
}

} // namespace helper::groups::tree
