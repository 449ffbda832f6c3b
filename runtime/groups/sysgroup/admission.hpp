// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "groups/sysgroup/channel.hpp"
#include "groups/sysgroup/sysgroup.hpp"
#include "groups/tree/enrolment.hpp"

namespace helper::groups::sysgroup {

/// By introductions the members of a new group, who know their places, learn their neighbours' ports and the
/// group's name: each tells its parent its port, and its children its port and the name once it has learned
/// that.
class Introduction {
public:
  /// `membership` is given if this process has it already, as the root must.
  Introduction(GroupChannel& channel, Topic topic, tree::Place place,
               std::optional<GroupChannel::Membership> membership);

  /// Sends the first messages. Throws MpiError.
  void begin(Outbox& out);
  /// Takes in the introduction that neighbour `from` has sent. Throws MpiError.
  void receive(int from, std::span<const std::int32_t> words, Outbox& out);
  /// Tells whether all neighbours and the name are known.
  bool is_complete() const noexcept { return membership_ && missing_ == 0; }
  /// Hands over what has been learned; may be called once, when it is complete.
  Sysgroup::LocalView take();

private:
  void tell_children(Outbox& out);

  GroupChannel& channel_;
  const Topic topic_;
  tree::Place place_;
  std::optional<GroupChannel::Membership> membership_;
  GroupChannel::Port port_;
  tree::Rank parent_ = 0; // its rank
  std::vector<Sysgroup::Neighbour> neighbours_;
  std::size_t missing_;
};

/// This is the transport of one process's part in an enrolment: it runs the state machine on control
/// messages, has the neighbours in the new group meet, and finds out, where the scheme needs it, when all
/// have their places.
class Admission final : private tree::Sink {
public:
  /// `parent` is this process's place in a group of the channel. Both must outlive the object.
  Admission(GroupChannel& channel, Topic topic, const tree::Place& parent, const tree::Scheme& scheme,
            bool participates);

  /// Does what can be done now. Never blocks. Throws MpiError.
  void advance();
  /// Tells whether the enrolment is over for this process. Throws MpiError.
  bool is_complete();

  /// Hands over a participant's view of the new group, or nothing at other processes; may be called once.
  std::optional<Sysgroup::LocalView> take();

private:
  void send(tree::Id to, tree::EnrolmentMessage message) override;
  void handle(ControlMessage message);
  void meet();
  void report();
  void end();

  GroupChannel::Subscription subscription_;
  GroupChannel& channel_;
  const tree::Place& parent_;
  Outbox out_;
  std::deque<ControlMessage> own_;   // messages of this process to itself
  std::deque<ControlMessage> early_; // messages of neighbours that came before this process had a place
  std::unique_ptr<tree::Enrolment> enrolment_;
  std::optional<Introduction> introduction_;
  const bool needs_end_; // messages may come until all have their places, which must be found out
  std::size_t unsettled_;
  bool has_reported_ = false, is_over_ = false;
};

} // namespace helper::groups::sysgroup
