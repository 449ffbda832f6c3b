// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <optional>

/// Groups of processes that have items of work to do, and that merge so that nobody is idle. Source: Dinan et
/// al., "Noncollective Communicator Creation in MPI", EuroMPI 2011, section 4.2.
namespace mcmc {

/// Neighbours: those that were made first, numbered from left to right, `first` to `last`, are one now.
struct Group {
  std::int32_t first, last;
  double items; ///< that are left to do; a part of one, too

  std::int32_t size() const { return last - first + 1; }
};

struct Message {
  enum class Kind : std::int32_t {
    request,  ///< to the right: let us merge, my group is idle
    accept,   ///< to the left: we merge
    withdraw, ///< to the right: forget my request
    withdrawn ///< to the left: it is forgotten
  } kind;
  Group group; ///< the sender's
};

class Sink {
public:
  virtual ~Sink() = default;
  /// To the leader of the first-made group `to`.
  virtual void send(std::int32_t to, const Message& message) = 0;
};

/// Two groups that have agreed to be one, which the leader of the left one leads.
struct Merge {
  Group left, right;

  Group merged() const { return {left.first, right.last, right.items}; }
};

/// What a group's leader does so that idle groups merge with their right neighbours: a state machine that
/// knows no transport, no time, and not the other processes of the group.
///
/// The leader of a group is that of its leftmost part. So everybody knows the right neighbour's, and who
/// leads no more is not asked any more. An idle group that waits for its neighbour may be asked itself. It
/// waits on, or withdraws its own request first and then accepts, by a coin of its own. So many pairs are
/// found at once when many groups are idle. The rightmost group asks nobody, so there is no cycle of waiting.
class Leader {
public:
  Leader(std::int32_t group, std::int32_t groups, double items)
      : group_{group, group, items}, groups_(groups) {}

  const Group& group() const { return group_; }
  bool is_idle() const { return group_.items <= 0; }
  bool is_finished() const { return is_idle() && group_.size() == groups_; }

  /// For whoever does the work.
  void set_items(double items) { group_.items = items; }

  /// Whenever a message is looked at; none before a merge that has been agreed is completed.
  void receive(const Message& message, Sink& sink);

  /// When the group is idle and none of its messages are left to look at, once after each merge.
  void be_idle(Sink& sink);

  /// The merge that has been agreed. Its right leader leads no more.
  const std::optional<Merge>& merge() const { return merge_; }
  /// It has been done; for the left leader. The next may be agreed at once.
  void complete(Sink& sink);

private:
  bool coin() const;
  void request(Sink& sink);
  void accept(Sink& sink);

  Group group_;
  std::int32_t groups_;
  bool has_requested_ = false, is_withdrawing_ = false;
  std::optional<Group> asking_; ///< the left neighbour
  std::optional<Merge> merge_;
};

} // namespace mcmc
