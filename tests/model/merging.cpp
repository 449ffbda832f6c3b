// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the protocol that merges groups, which bench/mcmc runs with MPI and in the simulator. In whatever
// order messages arrive, groups must merge until one is left, and all items must be done once.

#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "mcmc/leader.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"

namespace {

using namespace mcmc;
using Kind = Message::Kind;

/// Leaders of groups. Their messages arrive in any order, except that messages between the same two leaders
/// stay in order.
class World {
public:
  World(std::int32_t groups, test_support::Draw& draw) : draw_(draw), leads_(as_size(groups), true) {
    for (std::int32_t number = 0; number < groups; ++number) {
      const double items = draw.coin() ? 0 : draw.upto(5);
      leaders_.emplace_back(number, groups, items, [this, number](std::int32_t to, const Message& message) {
        send(number, to, message);
      });
      items_ += items;
      rested_.push_back(false);
    }
  }

  /// Does random steps until none is possible.
  void run() {
    while (step()) check_items();
  }

  void check_end() const {
    CHECK(leaders_[0].is_finished());
    CHECK(done_ == items_);
    CHECK(merges_ + 1 == leaders_.size());
    CHECK(requests_ == answers_);
    for (const auto& [between, messages] : messages_) // a rank may still withdraw an accepted request
      for (const Message& message : messages) CHECK(message.kind == Kind::withdraw);
  }

private:
  using Action = std::function<void()>;

  void send(std::int32_t from, std::int32_t to, const Message& message) {
    messages_[{from, to}].push_back(message);
    if (message.kind == Kind::request) ++requests_;
    if (message.kind == Kind::accept || message.kind == Kind::withdrawn) ++answers_;
  }

  static std::size_t as_size(std::int32_t number) { return static_cast<std::size_t>(number); }
  Leader& leader(std::int32_t number) { return leaders_[as_size(number)]; }

  bool step() {
    std::vector<Action> actions;
    for (auto& [between, messages] : messages_) {
      const std::int32_t to = between.second;
      if (!messages.empty() && leads_[as_size(to)] && !leader(to).merge())
        actions.emplace_back([this, to, &queue = messages] { deliver(to, queue); });
    }
    for (std::int32_t number = 0; as_size(number) < leaders_.size(); ++number)
      if (leads_[as_size(number)]) add_own_actions(number, actions);
    if (actions.empty()) return false;
    draw_.of(actions)();
    return true;
  }

  void add_own_actions(std::int32_t number, std::vector<Action>& actions) {
    const Leader& own = leader(number);
    if (own.merge()) {
      const Merge& merge = *own.merge();
      if (merge.left.first == number && leader(merge.right.first).merge())
        actions.emplace_back([this, number] { merge_at(number); });
    } else if (!own.is_idle()) {
      actions.emplace_back([this, number] { work(number); });
    } else if (!rested_[as_size(number)]) {
      actions.emplace_back([this, number] {
        leader(number).be_idle();
        rested_[as_size(number)] = true;
      });
    }
  }

  void deliver(std::int32_t to, std::deque<Message>& queue) {
    const Message message = queue.front();
    queue.pop_front();
    leader(to).receive(message);
    rested_[as_size(to)] = false;
  }

  void work(std::int32_t number) {
    Leader& own = leader(number);
    own.set_items(own.group().items - 1);
    ++done_;
  }

  /// Merges the group of leader `left` with the next one. Checks that both leaders have agreed on this merge.
  void merge_at(std::int32_t left) {
    const Merge merge = *leader(left).merge();
    const Merge other = *leader(merge.right.first).merge();
    CHECK((merge.left.last + 1 == merge.right.first && merge.left.items <= 0));
    CHECK((other.left.first == left && other.right.last == merge.right.last));
    CHECK(merge.right.items == leader(merge.right.first).group().items);
    leads_[as_size(merge.right.first)] = false;
    leader(left).complete();
    rested_[as_size(left)] = false;
    ++merges_;
  }

  void check_items() {
    double left = 0;
    for (std::size_t i = 0; i < leaders_.size(); ++i)
      if (leads_[i]) left += leaders_[i].group().items;
    REQUIRE(left + done_ == items_);
  }

  test_support::Draw& draw_;
  std::vector<Leader> leaders_;
  std::vector<bool> leads_;  ///< whether the leader still has a group
  std::vector<bool> rested_; ///< whether the leader was idle since its last message
  std::map<std::pair<std::int32_t, std::int32_t>, std::deque<Message>> messages_; ///< from, to
  double items_ = 0, done_ = 0;
  std::size_t merges_ = 0;
  int requests_ = 0, answers_ = 0;
};

} // namespace

TEST_CASE("Groups merge until there is one, whatever the order of their messages") {
  const std::int32_t groups = GENERATE(1, 2, 3, 8, 33);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(groups, seed);
    test_support::Draw draw(seed);
    World world(groups, draw);
    world.run();
    world.check_end();
  }
}
