// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "team/team.hpp"
#include "transport/communicator.hpp"
#include "transport/mpi_error.hpp"
#include "transport/rejected.hpp"
#include "transport/shadow.hpp"

namespace helper::groups::sysgroup {

/// For the result of an MPI function on a communicator that is the library's own.
inline void check(int code) {
  transport::check(code, MPI_COMM_WORLD);
}

using Words = std::vector<std::int32_t>;

/// What all members of a group call it, and no other group of the channel is called: the process that was its
/// root when it was made, and a number of that one's. Groups made of the communicator itself have no such
/// process, but are made by all in the same order.
struct Name {
  static constexpr std::int32_t of_communicator = -1;
  std::int32_t root, serial;
  auto operator<=>(const Name&) const = default;
};

/// What a letter is about: enrolment number `turn` in a group, counted from 1, or, as number 0, the group's
/// own beginning.
struct Context {
  Name group;
  std::int32_t turn;
  auto operator<=>(const Context&) const = default;
};

struct Letter {
  int from;
  Words words;
};

/// Where the messages of all groups travel that descend from a communicator: a private copy of it, whatever
/// their number. Any thread may call anything; ranks are those of the communicator.
///
/// The messages of enrolments are letters, which any thread that waits for one collects for all. The data of
/// collective operations are received where they belong: each process leases a range of tags for each group
/// it is in, a *port*, and has told its neighbours in the group.
class Channel {
public:
  /// The channel of `comm`, which lives as long as the communicator or a group needs it. Collective over
  /// `comm` and blocking the first time, when it lends `member`; local after that. nullptr, at all ranks
  /// alike, if there are too many communicators. Throws MpiError.
  static std::shared_ptr<Channel> of(MPI_Comm comm, team::Member& member);

  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  const transport::Shadow& shadow() const noexcept { return *shadow_; }
  /// A communicator of the same processes, on which nothing of the above travels.
  MPI_Comm comm() const noexcept { return comm_; }

  /// The result of `part()`, this process's part of an operation. If it throws, the others are told, who may
  /// wait for it, and nothing more is done on the channel: after that, PeerGaveUp is thrown at once. Not of
  /// arguments that are rejected, for then there is no operation.
  template <class Part>
  auto carry(const Part& part) const {
    if (shadow_->failure().gave_up(shadow_->rank()))
      throw transport::PeerGaveUp(shadow_->user(), shadow_->rank());
    try {
      return part();
    } catch (const transport::Rejected&) {
      throw;
    } catch (...) {
      shadow_->failure().give_up();
      throw;
    }
  }

  /// Something of the channel that this process has as long as the object lives, which the channel must
  /// outlive.
  template <class What>
  class Held {
  public:
    const What& what() const noexcept { return channel_.get_deleter().what; }

  private:
    friend class Channel;
    struct GiveBack {
      What what;
      void operator()(Channel* channel) const noexcept { channel->give_back(what); }
    };
    Held(Channel& channel, What what) : channel_(&channel, GiveBack{what}) {}

    std::unique_ptr<Channel, GiveBack> channel_;
  };

  /// A place in the group of that name: letters about it are kept, though they come early, but for those
  /// about enrolments that are over.
  using Membership = Held<Name>;

  /// In the next group that is made of the communicator itself.
  Membership join_communicator();
  /// In a new group whose root this process is.
  Membership found_group();
  /// In a group whose root has told its name.
  Membership join(Name group);

  /// Wants letters of one context as long as it lives; what comes later is thrown away.
  class Subscription {
  public:
    Subscription(Channel& channel, Context context);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// The next letter that has come. Throws MpiError.
    std::optional<Letter> next();
    const Context& context() const noexcept { return context_; }

  private:
    Channel& channel_;
    const Context context_;
  };

  /// A range of tags, beyond those of the operations on communicators.
  struct Tags {
    static constexpr int count = 36;
    int first;
  };
  using Port = Held<Tags>;

  /// Throws MpiError if all are leased.
  Port lease_port();

private:
  friend class Outbox;

  Channel(MPI_Comm user, team::Member& member);

  Membership know(Name group);
  void give_back(Name group) noexcept;
  void give_back(Tags tags) noexcept;
  void collect();
  bool is_stale(const Context& context) const;
  void throw_stale_away();

  transport::Communicator comm_; // freed with its shadow
  const transport::Shadow* shadow_ = nullptr;
  int rank_ = 0;

  std::mutex mutex_; // guards what follows
  std::map<Context, std::deque<Letter>> letters_;
  std::map<Name, std::int32_t> turns_; // of the groups that this process is in: the next enrolment
  int subscriptions_ = 0;
  std::int32_t communicators_ = 0; // names given
  std::int32_t groups_ = 0;
  int ports_ = 0; // ever leased
  std::vector<int> free_ports_;
};

/// Letters on their way out. For one thread.
class Outbox {
public:
  explicit Outbox(Channel& channel) noexcept : channel_(channel) {}
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Starts to send a letter. Throws MpiError.
  void send(const Context& context, int to, Words words);

  /// True once all are sent. Never blocks. Throws MpiError.
  bool is_empty();

private:
  struct Sending {
    std::unique_ptr<Words> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  Channel& channel_;
  std::list<Sending> under_way_;
};

} // namespace helper::groups::sysgroup
