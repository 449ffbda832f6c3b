// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "groups/sysgroup/channel.hpp"
#include "groups/sysgroup/group.hpp"
#include "groups/tree/enrolment.hpp"

namespace helper::groups::sysgroup {

/// How members of a new group that know their places come to know their neighbours' ports, and the group's
/// name: each tells its parent its port, and its children its port and the name, once it has learned that.
class Introduction {
public:
  /// `membership` if this process has it already, as it must if it is the root.
  Introduction(Channel& channel, Context context, tree::Place place,
               std::optional<Channel::Membership> membership);

  void begin(Outbox& out);
  void receive(int from, std::span<const std::int32_t> words, Outbox& out);
  bool is_complete() const noexcept { return membership_ && missing_ == 0; }
  /// What has become of it, once.
  Group::Seat take();

private:
  void tell_children(Outbox& out);

  Channel& channel_;
  const Context context_;
  tree::Place place_;
  std::optional<Channel::Membership> membership_;
  Channel::Port port_;
  tree::Rank parent_ = 0; // its rank
  std::vector<Group::Neighbour> neighbours_;
  std::size_t missing_;
};

/// One process's part of an enrolment, as its transport: runs the state machine on letters, has the
/// neighbours in the new group meet, and, where the scheme needs it, finds out when all have their places.
class Admission final : private tree::Sink {
public:
  /// `parent` is this process's place in a group of the channel. Both must outlive the object.
  Admission(Channel& channel, Context context, const tree::Place& parent, const tree::Scheme& scheme,
            bool participates);

  /// Does what can be done now. Never blocks. Throws MpiError.
  void advance();
  bool is_complete();

  /// The seat of a participant, once.
  std::optional<Group::Seat> take();

private:
  void send(tree::Id to, tree::Message message) override;
  void handle(Letter letter);
  void meet();
  void report();
  void end();

  Channel::Subscription subscription_;
  Channel& channel_;
  const tree::Place& parent_;
  Outbox out_;
  std::deque<Letter> own_;   // to this process itself
  std::deque<Letter> early_; // from neighbours, before this process has a place
  std::unique_ptr<tree::Enrolment> enrolment_;
  std::optional<Introduction> introduction_;
  const bool needs_end_; // until which letters may come
  std::size_t unsettled_;
  bool has_reported_ = false, is_over_ = false;
};

} // namespace helper::groups::sysgroup
