// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "leader.hpp"

#include <random>

namespace mcmc {

void Leader::receive(const Message& message, Sink& sink) {
  using Kind = Message::Kind;
  switch (message.kind) {
  case Kind::request:
    asking_ = message.group;
    if (!has_requested_)
      accept(sink);
    else if (!is_withdrawing_ && coin()) {
      is_withdrawing_ = true;
      sink.send(group_.last + 1, {Kind::withdraw, group_});
    }
    break;
  case Kind::accept:
    has_requested_ = is_withdrawing_ = false;
    merge_ = {group_, message.group};
    break;
  case Kind::withdraw:
    if (!asking_) break; // accepted meanwhile
    asking_.reset();
    sink.send(message.group.first, {Kind::withdrawn, group_});
    break;
  case Kind::withdrawn:
    has_requested_ = is_withdrawing_ = false;
    be_idle(sink);
  }
}

void Leader::be_idle(Sink& sink) {
  if (has_requested_ || merge_) return;
  if (asking_)
    accept(sink);
  else if (group_.last + 1 < groups_)
    request(sink);
}

void Leader::complete(Sink& sink) {
  group_ = merge_->merged();
  merge_.reset();
  if (asking_) accept(sink);
}

bool Leader::coin() const {
  std::minstd_rand random(static_cast<std::uint32_t>(group_.first * groups_ + group_.last + 1));
  random.discard(2);
  return std::uniform_int_distribution<int>(0, 1)(random) == 1;
}

void Leader::request(Sink& sink) {
  has_requested_ = true;
  sink.send(group_.last + 1, {Message::Kind::request, group_});
}

void Leader::accept(Sink& sink) {
  merge_ = {*asking_, group_};
  asking_.reset();
  sink.send(merge_->left.first, {Message::Kind::accept, group_});
}

} // namespace mcmc
