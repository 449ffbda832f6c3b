// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/admission.hpp"

#include <algorithm>
#include <utility>

namespace helper::groups::sysgroup {

namespace {

// What a letter is, beside the messages of enrolments, whose kinds are not negative.
enum Kind : std::int32_t {
  introduction = -1, ///< a neighbour's port and rank, and from the parent the group's name
  settled = -2,      ///< up: all below have their places
  over = -3          ///< down: all have
};

} // namespace

Introduction::Introduction(Channel& channel, Context context, tree::Place place,
                           std::optional<Channel::Membership> membership)
    : channel_(channel), context_(context), place_(std::move(place)), membership_(std::move(membership)),
      port_(channel.lease_port()) {
  for (const auto& child : place_.children) neighbours_.push_back({child.id, 0, false});
  if (place_.parent != tree::nobody) neighbours_.push_back({place_.parent, 0, false});
  missing_ = neighbours_.size();
}

void Introduction::begin(Outbox& out) {
  if (place_.parent != tree::nobody)
    out.send(context_, place_.parent, {introduction, port_.what().first, place_.rank});
  if (membership_) tell_children(out);
}

void Introduction::tell_children(Outbox& out) {
  const Name& name = membership_->what();
  for (const auto& child : place_.children)
    out.send(context_, child.id, {introduction, port_.what().first, place_.rank, name.root, name.serial});
}

void Introduction::receive(int from, std::span<const std::int32_t> words, Outbox& out) {
  std::ranges::find(neighbours_, from, &Group::Neighbour::rank)->port = words[1];
  --missing_;
  if (from != place_.parent) return;
  parent_ = words[2];
  if (membership_) return;
  membership_ = channel_.join({words[3], words[4]});
  tell_children(out);
}

Group::Seat Introduction::take() {
  return {std::move(*membership_), std::move(place_), parent_, std::move(port_), std::move(neighbours_)};
}

Admission::Admission(Channel& channel, Context context, const tree::Place& parent, const tree::Scheme& scheme,
                     bool participates)
    : subscription_(channel, context), channel_(channel), parent_(parent), out_(channel),
      enrolment_(tree::make_enrolment(scheme, parent, participates)),
      needs_end_(scheme.algorithm == tree::Scheme::Algorithm::hash), unsettled_(parent.children.size()) {
  enrolment_->start(*this);
}

void Admission::send(tree::Id to, tree::Message message) {
  Words words(message.words().begin(), message.words().end());
  if (to == parent_.id)
    own_.push_back({to, std::move(words)});
  else
    out_.send(subscription_.context(), to, std::move(words));
}

void Admission::advance() {
  while (auto letter = subscription_.next()) handle(std::move(*letter));
  while (!own_.empty()) {
    Letter letter = std::move(own_.front());
    own_.pop_front();
    handle(std::move(letter));
  }
  if (enrolment_->group() && !introduction_) meet();
  if (needs_end_ && !has_reported_ && unsettled_ == 0 && enrolment_->reported() &&
      (!enrolment_->participates() || enrolment_->group()))
    report();
}

void Admission::handle(Letter letter) {
  switch (letter.words.front()) {
  case introduction:
    if (!introduction_)
      early_.push_back(std::move(letter));
    else
      introduction_->receive(letter.from, letter.words, out_);
    return;
  case settled:
    --unsettled_;
    return;
  case over:
    return end();
  default:
    enrolment_->receive(letter.from, tree::Message(std::move(letter.words)), *this);
  }
}

/// The place is known.
void Admission::meet() {
  const tree::Place& place = *enrolment_->group();
  const bool is_root = place.parent == tree::nobody;
  introduction_.emplace(channel_, subscription_.context(), place,
                        is_root ? std::optional(channel_.found_group()) : std::nullopt);
  introduction_->begin(out_);
  for (; !early_.empty(); early_.pop_front())
    introduction_->receive(early_.front().from, early_.front().words, out_);
}

void Admission::report() {
  has_reported_ = true;
  if (parent_.parent == tree::nobody) return end();
  out_.send(subscription_.context(), parent_.parent, {settled});
}

void Admission::end() {
  is_over_ = true;
  for (const auto& child : parent_.children) out_.send(subscription_.context(), child.id, {over});
}

bool Admission::is_complete() {
  if (needs_end_ ? !is_over_ : !enrolment_->participates() && !enrolment_->reported()) return false;
  if (enrolment_->participates() && !(introduction_ && introduction_->is_complete())) return false;
  return own_.empty() && out_.is_empty();
}

std::optional<Group::Seat> Admission::take() {
  if (!introduction_) return std::nullopt;
  return introduction_->take();
}

} // namespace helper::groups::sysgroup
