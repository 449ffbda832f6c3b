// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <utility>

/// Groups of processes that have items of work to do. Groups merge so that no process is idle. Source: Dinan
/// et al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, section 4.2.
namespace mcmc {

/// A merged group. Initial groups are numbered from left to right; this one consists of `first` to `last`.
struct Group {
  std::int32_t first, last;
  double items; ///< items left to do, possibly fractional

  std::int32_t size() const { return last - first + 1; }
};

struct Message {
  enum class Kind : std::int32_t {
    request,  ///< to the right: let us merge, my group is idle
    accept,   ///< to the left: we merge
    withdraw, ///< to the right: forget my request
    withdrawn ///< to the left: your request is forgotten
  } kind;
  Group group; ///< the sender's
};

/// Sends a message to the leader of a group.
using Send = std::function<void(std::int32_t to, const Message& message)>;

/// Two groups that have agreed to merge. The leader of the left one leads the merged group.
struct Merge {
  Group left, right;

  Group merged() const { return {left.first, right.last, right.items}; }
};

/// How leaders make idle groups merge with their right neighbours: a state machine without transport, time,
/// or knowledge of the other processes of the group.
///
/// The leader of a group is the leader of its leftmost initial group. So every leader knows its right
/// neighbour's leader, and nobody asks a leader that has stopped leading.
///
/// An idle group that waits for its neighbour's answer may itself get a request. A coin decides whether it
/// waits on, or withdraws its own request first and then accepts. So many pairs form at once when many groups
/// are idle. The rightmost group asks nobody, so there is no cycle of waiting.
class Leader {
public:
  Leader(std::int32_t group, std::int32_t groups, double items, Send send)
      : group_{group, group, items}, groups_(groups), send_(std::move(send)) {}

  const Group& group() const { return group_; }
  bool is_idle() const { return group_.items <= 0; }
  bool is_finished() const { return is_idle() && group_.size() == groups_; }

  /// Sets the items that are left, for the code that does the work.
  void set_items(double items) { group_.items = items; }

  /// Handles a message. After a merge has been agreed, call complete() first.
  void receive(const Message& message) {
    using Kind = Message::Kind;
    switch (message.kind) {
    case Kind::request:
      asking_ = message.group;
      if (!has_requested_)
        accept();
      else if (!is_withdrawing_ && coin()) {
        is_withdrawing_ = true;
        send_(group_.last + 1, {Kind::withdraw, group_});
      }
      break;
    case Kind::accept:
      has_requested_ = is_withdrawing_ = false;
      merge_ = {group_, message.group};
      break;
    case Kind::withdraw:
      if (!asking_) break; // accepted meanwhile
      asking_.reset();
      send_(message.group.first, {Kind::withdrawn, group_});
      break;
    case Kind::withdrawn:
      has_requested_ = is_withdrawing_ = false;
      be_idle();
    }
  }

  /// Call it when the group is idle and has handled all its messages, once after each merge.
  void be_idle() {
    if (has_requested_ || merge_) return;
    if (asking_)
      accept();
    else if (group_.last + 1 < groups_)
      request();
  }

  /// Returns the merge that has been agreed. Its right leader no longer leads.
  const std::optional<Merge>& merge() const { return merge_; }
  /// Tells the left leader that the merge has been done. The next merge may be agreed at once.
  void complete() {
    group_ = merge_->merged();
    merge_.reset();
    if (asking_) accept();
  }

private:
  bool coin() const {
    std::minstd_rand random(static_cast<std::uint32_t>(group_.first * groups_ + group_.last + 1));
    random.discard(2);
    return std::uniform_int_distribution<int>(0, 1)(random) == 1;
  }

  void request() {
    has_requested_ = true;
    send_(group_.last + 1, {Message::Kind::request, group_});
  }

  void accept() {
    merge_ = {*asking_, group_};
    asking_.reset();
    send_(merge_->left.first, {Message::Kind::accept, group_});
  }

  Group group_;
  std::int32_t groups_;
  Send send_;
  bool has_requested_ = false, is_withdrawing_ = false;
  std::optional<Group> asking_; ///< the left neighbour
  std::optional<Merge> merge_;
};

} // namespace mcmc
