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
#include <vector>

#include "groups/tree/place.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::groups::sysgroup {

/// Throws MpiError if `code`, returned by an MPI function on a communicator of the library, is an error.
inline void check(int code) {
  ranks::check(code, MPI_COMM_WORLD);
}

using Words = std::vector<std::int32_t>;

/// The name of a group, equal at all members and unique in the channel: the process that was its root when it
/// was made, and a number that this process gave it. A group of the whole communicator has `of_communicator`
/// instead of a process. Its number counts such groups, which all processes make in the same order.
struct Name {
  static constexpr std::int32_t of_communicator = -1;
  std::int32_t root, serial;
  auto operator<=>(const Name&) const = default;
};

/// The topic of a control message: a group and a `turn`. Turn 0 is the making of the group itself. Turns from
/// 1 on are enrolments in the group. Messages by rank have negative turns.
struct Topic {
  static constexpr std::int32_t announcements = -1; ///< the first word is the rank of the addressee
  static constexpr std::int32_t answers = -2;       ///< to announcements
  Name group;
  std::int32_t turn;
  auto operator<=>(const Topic&) const = default;
};

struct ControlMessage {
  int from;
  Words words;
};

/// The control messages that are being sent on a channel. One thread at a time may use the object.
class Outbox {
public:
  /// `shadow` is the channel's.
  explicit Outbox(const transport::Shadow& shadow) noexcept : shadow_(shadow) {}
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Starts to send a message. Throws MpiError.
  void send(const Topic& topic, int to, Words words);

  /// Returns whether all messages have been sent. Never blocks. Throws MpiError.
  bool is_empty();

private:
  struct Sending {
    std::unique_ptr<Words> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  const transport::Shadow& shadow_;
  std::list<Sending> under_way_;
};

/// The channel for the messages of all groups that descend from a communicator: a private copy of that
/// communicator. Any thread may call any function. Ranks are ranks of the communicator.
///
/// Control messages belong to enrolments, or announce messages by rank. Announcements travel along the
/// group's tree, or directly if its ranks are those of the communicator. A thread that waits for one control
/// message collects all that have arrived. Data have tags of a *port*, so that only the thread that needs
/// them receives them. A port is a range of tags, which a process leases for a group.
class GroupChannel {
public:
  /// Returns the channel of `comm`, which lives until `comm` and its groups are freed. The first call is
  /// collective and blocks, lending `member`; later calls are local. Returns nullptr at all ranks if MPI
  /// has no communicator left. Throws MpiError.
  static std::shared_ptr<GroupChannel> of(MPI_Comm comm, team::Member& member);

  const transport::Shadow& shadow() const noexcept { return *shadow_; }
  /// Returns a communicator of the same processes that carries no control messages and no data of groups.
  MPI_Comm comm() const noexcept { return comm_; }

  /// Returns the result of `part()`, this process's part in an operation. If `part` throws Rejected, there is
  /// no operation. After any other exception, other ranks are told, and later calls throw PeerGaveUp.
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

  /// A deleter of pointers to the channel. It gives `what` back to the channel: a name or a port that the
  /// pointer's owner has used. The channel must outlive the pointers.
  template <class What>
  struct Held {
    What what;
    void operator()(GroupChannel* channel) const noexcept { channel->give_back(what); }
  };

  /// While a Membership lives, the channel keeps the group's control messages, except of finished enrolments.
  using Membership = std::unique_ptr<GroupChannel, Held<Name>>;

  /// Joins the next group that is made of the whole communicator.
  Membership join_communicator();
  /// Joins a new group as its root, and gives the group its name.
  Membership found_group();
  /// Joins a group whose name the root has sent.
  Membership join(Name group);

  /// After begin_relaying() this process passes on announcements for other members; `place` is its place. If
  /// passing on fails, it gives up the channel. Call end_relaying() before `place` is destroyed.
  void begin_relaying(Name group, const tree::Place& place) noexcept;
  void end_relaying(Name group) noexcept;

  /// Sends an announcement to rank `to` of the group. Call begin_relaying() before. Throws MpiError.
  void announce(Name group, tree::Rank to, const Words& words);

  /// Collects arrived messages, and passes on announcements for others. If that fails, gives up the channel.
  void poll() noexcept;

  /// Receives the messages of one topic while it lives. Later ones are dropped, except for messages by rank.
  class Subscription {
  public:
    Subscription(GroupChannel& channel, Topic topic);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// Returns the first message that has arrived with `is_wanted(words)`, or nothing. Throws MpiError.
    std::optional<ControlMessage> next(const std::function<bool(const Words&)>& is_wanted = is_any);
    static bool is_any(const Words&) noexcept { return true; }
    const Topic& topic() const noexcept { return topic_; }

  private:
    GroupChannel& channel_;
    const Topic topic_;
  };

  /// Owns a range of tags by the first tag: `tags_of_operations` tags for collective operations on the group,
  /// then one for messages by rank. All are greater than the tags of operations on communicators.
  using Port = std::unique_ptr<GroupChannel, Held<int>>;
  static constexpr int tags_of_operations = 36;

  /// Leases a port to the caller. Throws MpiError if all are leased.
  Port lease_port();

private:
  GroupChannel(MPI_Comm user, team::Member& member);

  Membership know(Name group);
  void give_back(Name group) noexcept;
  void give_back(int port) noexcept;
  void collect();
  void deliver(const Topic& topic, ControlMessage message);
  void relay(const Topic& topic, Words words);
  bool is_stale(const Topic& topic) const;
  void throw_stale_away();

  ranks::Communicator comm_; // freeing it frees its shadow
  const transport::Shadow* shadow_ = nullptr;
  int rank_ = 0;

  std::mutex mutex_; // guards what follows
  std::map<Topic, std::deque<ControlMessage>> messages_;
  /// A group that this process is in.
  struct KnownGroup {
    std::int32_t turn = 0;              // the next enrolment
    const tree::Place* place = nullptr; // set while this process relays
  };
  std::map<Name, KnownGroup> known_;
  std::optional<Outbox> relayed_; // announcements, own and of others; set if there is a shadow
  int subscriptions_ = 0;
  std::int32_t communicators_ = 0; // the number of calls of join_communicator()
  std::int32_t groups_ = 0;        // the last serial number that found_group() gave
  int ports_ = 0;                  // ever leased
  std::vector<int> free_ports_;
};

/// The channels on which announcements for other processes arrive here, because this process lies between
/// other processes in the tree of a group. A thread that waits in MPI through the library passes them on.
namespace relays {

/// Passes on the announcements that have arrived, unless another thread does. Any thread may call it.
void poll() noexcept;

/// Count one more or one less of the channel's groups in which this process relays. Any thread may call them.
void add(GroupChannel& channel);
void remove(GroupChannel& channel) noexcept;

} // namespace relays

} // namespace helper::groups::sysgroup
