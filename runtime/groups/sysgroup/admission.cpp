// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/admission.hpp"

#include <algorithm>
#include <utility>

namespace helper::groups::sysgroup {

namespace {

// The first word of a control message tells its kind; the kinds of the state machines are not negative.
enum ControlKind : std::int32_t {
  introduction = -1, ///< tells a neighbour's port and rank, and the parent's the group's name, too
  settled = -2,      ///< goes up when all below have their places
  over = -3          ///< goes down when all have
};

} // namespace

Introduction::Introduction(GroupChannel& channel, Topic topic, tree::Place place,
                           std::optional<GroupChannel::Membership> membership)
    : channel_(channel), topic_(topic), place_(std::move(place)), membership_(std::move(membership)),
      port_(channel.lease_port()) {
  for (const auto& child : place_.children) neighbours_.push_back({child.id, 0, false});
  if (place_.parent != tree::nobody) neighbours_.push_back({place_.parent, 0, false});
  missing_ = neighbours_.size();
}

void Introduction::begin(Outbox& out) {
  if (place_.parent != tree::nobody)
    out.send(topic_, place_.parent, {introduction, port_.what().first, place_.rank});
  if (membership_) tell_children(out);
}

void Introduction::tell_children(Outbox& out) {
  const Name& name = membership_->what();
  for (const auto& child : place_.children)
    out.send(topic_, child.id, {introduction, port_.what().first, place_.rank, name.root, name.serial});
}

void Introduction::receive(int from, std::span<const std::int32_t> words, Outbox& out) {
  std::ranges::find(neighbours_, from, &Sysgroup::Neighbour::rank)->port = words[1];
  --missing_;
  if (from != place_.parent) return;
  parent_ = words[2];
  if (membership_) return;
  membership_ = channel_.join({words[3], words[4]});
  tell_children(out);
}

Sysgroup::LocalView Introduction::take() {
  return {std::move(*membership_), std::move(place_), parent_, std::move(port_), std::move(neighbours_)};
}

Admission::Admission(GroupChannel& channel, Topic topic, const tree::Place& parent,
                     const tree::Scheme& scheme, bool participates)
    : subscription_(channel, topic), channel_(channel), parent_(parent), out_(channel),
      enrolment_(tree::make_enrolment(scheme, parent, participates)),
      needs_end_(scheme.algorithm == tree::Scheme::Algorithm::hash), unsettled_(parent.children.size()) {
  enrolment_->start(*this);
}

void Admission::send(tree::Id to, tree::EnrolmentMessage message) {
  Words words(message.words().begin(), message.words().end());
  if (to == parent_.id)
    own_.push_back({to, std::move(words)});
  else
    out_.send(subscription_.topic(), to, std::move(words));
}

void Admission::advance() {
  while (auto message = subscription_.next()) handle(std::move(*message));
  while (!own_.empty()) {
    ControlMessage message = std::move(own_.front());
    own_.pop_front();
    handle(std::move(message));
  }
  if (enrolment_->group() && !introduction_) meet();
  if (needs_end_ && !has_reported_ && unsettled_ == 0 && enrolment_->reported() &&
      (!enrolment_->participates() || enrolment_->group()))
    report();
}

void Admission::handle(ControlMessage message) {
  switch (message.words.front()) {
  case introduction:
    if (!introduction_)
      early_.push_back(std::move(message));
    else
      introduction_->receive(message.from, message.words, out_);
    return;
  case settled:
    --unsettled_;
    return;
  case over:
    return end();
  default:
    enrolment_->receive(message.from, tree::EnrolmentMessage(std::move(message.words)), *this);
  }
}

/// Meets the neighbours, now that the place is known.
void Admission::meet() {
  const tree::Place& place = *enrolment_->group();
  const bool is_root = place.parent == tree::nobody;
  introduction_.emplace(channel_, subscription_.topic(), place,
                        is_root ? std::optional(channel_.found_group()) : std::nullopt);
  introduction_->begin(out_);
  for (; !early_.empty(); early_.pop_front())
    introduction_->receive(early_.front().from, early_.front().words, out_);
}

void Admission::report() {
  has_reported_ = true;
  if (parent_.parent == tree::nobody) return end();
  out_.send(subscription_.topic(), parent_.parent, {settled});
}

void Admission::end() {
  is_over_ = true;
  for (const auto& child : parent_.children) out_.send(subscription_.topic(), child.id, {over});
}

bool Admission::is_complete() {
  if (needs_end_ ? !is_over_ : !enrolment_->participates() && !enrolment_->reported()) return false;
  if (enrolment_->participates() && !(introduction_ && introduction_->is_complete())) return false;
  return own_.empty() && out_.is_empty();
}

std::optional<Sysgroup::LocalView> Admission::take() {
  if (!introduction_) return std::nullopt;
  return introduction_->take();
}

} // namespace helper::groups::sysgroup
