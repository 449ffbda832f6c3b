// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "groups/tree/place.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::groups::sysgroup {

/// Throws MpiError if `code`, the result of an MPI function on one of the library's own communicators, is an
/// error.
inline void check(int code) {
  ranks::check(code, MPI_COMM_WORLD);
}

using Words = std::vector<std::int32_t>;

/// A name is common to all members of a group, and no other group of the channel has it. It consists of the
/// process that was the group's root when it was made, and a number that this process has given. Groups of
/// the whole communicator have no such process, but all processes make them in the same order.
struct Name {
  static constexpr std::int32_t of_communicator = -1;
  std::int32_t root, serial;
  auto operator<=>(const Name&) const = default;
};

/// Every control message has a topic: the enrolment number `turn` in a group, counted from 1, or, as number
/// 0, the beginning of the group itself; or one of those of messages by rank.
struct Topic {
  static constexpr std::int32_t announcements = -1; ///< their first word is the rank that they are for
  static constexpr std::int32_t answers = -2;       ///< to announcements
  Name group;
  std::int32_t turn;
  auto operator<=>(const Topic&) const = default;
};

/// A control message has come from process `from`.
struct ControlMessage {
  int from;
  Words words;
};

class Outbox;

/// All groups that descend from a communicator send their messages on one channel, which is a private copy of
/// the communicator, however many groups there are. Any thread may call any function; ranks are those of the
/// communicator.
///
/// Enrolments send control messages, and any thread that waits for one collects those of all. So do messages
/// by rank, whose announcements travel along the group's tree, or at once to where their ranks say. The data
/// of collective operations are received where they belong: for each group that a process is in, it leases a
/// range of tags, a *port*, and tells its neighbours in the group.
class GroupChannel {
public:
  /// Returns the channel of `comm`, which lives as long as the communicator or a group needs it. The first
  /// call is collective over `comm` and blocks, lending `member`; later ones are local. The result is
  /// nullptr, at all ranks alike, if there are too many communicators. Throws MpiError.
  static std::shared_ptr<GroupChannel> of(MPI_Comm comm, team::Member& member);

  ~GroupChannel();
  GroupChannel(const GroupChannel&) = delete;
  GroupChannel& operator=(const GroupChannel&) = delete;

  const transport::Shadow& shadow() const noexcept { return *shadow_; }
  /// Returns a communicator of the same processes on which no control message and no data travel.
  MPI_Comm comm() const noexcept { return comm_; }

  /// Returns the result of `part()`, which is this process's part in an operation. If `part` throws, the
  /// other processes, which may wait for this one, are told, and from then on each call throws PeerGaveUp at
  /// once. Rejected arguments are an exception, since then there is no operation.
  template <class Part>
  auto carry(const Part& part) const {
    if (shadow_->failure().gave_up(shadow_->rank()))
      throw ranks::PeerGaveUp(shadow_->user(), shadow_->rank());
    try {
      return part();
    } catch (const ranks::Rejected&) {
      throw;
    } catch (...) {
      shadow_->failure().give_up();
      throw;
    }
  }

  /// Keeps an object of the channel in use for as long as this object lives. The channel must outlive it.
  template <class What>
  class Held {
  public:
    const What& what() const noexcept { return channel_.get_deleter().what; }

  private:
    friend class GroupChannel;
    struct GiveBack {
      What what;
      void operator()(GroupChannel* channel) const noexcept { channel->give_back(what); }
    };
    Held(GroupChannel& channel, What what) : channel_(&channel, GiveBack{what}) {}

    std::unique_ptr<GroupChannel, GiveBack> channel_;
  };

  /// The members of the group with that name keep its control messages, also early ones, but for messages of
  /// enrolments that have finished.
  using Membership = Held<Name>;

  /// Joins the next group that is made of the whole communicator.
  Membership join_communicator();
  /// Joins a new group as its root, and gives it its name.
  Membership found_group();
  /// Joins a group whose root has told its name.
  Membership join(Name group);

  /// From now on this process, whose place in the group that is, passes announcements on that are for other
  /// members. If it cannot, it gives up. The second function ends that, before the place is gone.
  void begin_relaying(Name group, const tree::Place& place) noexcept;
  void end_relaying(Name group) noexcept;

  /// Sends an announcement to a member of the group, in which this process relays. Throws MpiError.
  void announce(Name group, tree::Rank to, const Words& words);

  /// Takes in what has come, and passes on what is for others. If it cannot, it gives up.
  void poll() noexcept;

  /// A subscription receives the control messages of one topic as long as it lives; those that come later are
  /// thrown away.
  class Subscription {
  public:
    Subscription(GroupChannel& channel, Topic topic);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// Returns the next message that has come, or nothing. Throws MpiError.
    std::optional<ControlMessage> next();
    /// Returns the first of those whose words `is_wanted(words)`. Throws MpiError.
    std::optional<ControlMessage> next(const std::function<bool(const Words&)>& is_wanted);
    const Topic& topic() const noexcept { return topic_; }

  private:
    GroupChannel& channel_;
    const Topic topic_;
  };

  /// A port is a range of tags beyond those of the operations on communicators: of collective operations on
  /// the group, and one of messages by rank.
  struct PortTags {
    static constexpr int of_operations = 36;
    static constexpr int count = of_operations + 1;
    int first;
  };
  using Port = Held<PortTags>;

  /// Leases a port to the caller. Throws MpiError if all are leased.
  Port lease_port();

private:
  friend class Outbox;

  GroupChannel(MPI_Comm user, team::Member& member);

  Membership know(Name group);
  void give_back(Name group) noexcept;
  void give_back(PortTags tags) noexcept;
  void collect();
  void deliver(const Topic& topic, ControlMessage message);
  void relay(const Topic& topic, Words words);
  bool is_stale(const Topic& topic) const;
  void throw_stale_away();

  ranks::Communicator comm_; // freed with its shadow
  const transport::Shadow* shadow_ = nullptr;
  int rank_ = 0;

  std::mutex mutex_; // guards what follows
  std::map<Topic, std::deque<ControlMessage>> messages_;
  /// A group that this process is in.
  struct KnownGroup {
    std::int32_t turn = 0;              // the next enrolment
    const tree::Place* place = nullptr; // while this process relays
  };
  std::map<Name, KnownGroup> known_;
  std::unique_ptr<Outbox> relayed_; // announcements for others
  int subscriptions_ = 0;
  std::int32_t communicators_ = 0; // names given
  std::int32_t groups_ = 0;
  int ports_ = 0; // ever leased
  std::vector<int> free_ports_;
};

/// An outbox has the control messages that are on their way out. One thread may use it.
class Outbox {
public:
  explicit Outbox(GroupChannel& channel) noexcept : channel_(channel) {}
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Starts to send a message. Throws MpiError.
  void send(const Topic& topic, int to, Words words);

  /// Returns whether all have been sent. Never blocks. Throws MpiError.
  bool is_empty();

private:
  struct Sending {
    std::unique_ptr<Words> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  GroupChannel& channel_;
  std::list<Sending> under_way_;
};

} // namespace helper::groups::sysgroup
