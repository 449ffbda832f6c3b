// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace tree_test {
namespace {

using namespace helper::groups::tree;

struct Envelope {
  Id from, to;
  EnrolmentMessage message;
};

class Network {
public:
  Network(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme)
      : processes_(parent.size()) {
    for (std::size_t id = 0; id < parent.size(); ++id)
      if (parent[id])
        processes_[id] = make_enrolment(scheme, *parent[id], participates[id],
                                        [this, id](Id to, EnrolmentMessage message) {
                                          ++messages_;
                                          under_way_.push_back({static_cast<Id>(id), to, std::move(message)});
                                        });
  }

  void run(Delivery delivery, std::mt19937_64& random) {
    for (std::size_t id = 0; id < processes_.size(); ++id)
      if (processes_[id]) processes_[id]->start();
    while (!under_way_.empty()) {
      if (delivery == Delivery::any_order)
        std::swap(under_way_.front(), under_way_[random() % under_way_.size()]);
      const Envelope envelope = std::move(under_way_.front());
      under_way_.pop_front();
      processes_[static_cast<std::size_t>(envelope.to)]->receive(envelope.from, envelope.message);
    }
  }

  Result result() const {
    Result result;
    result.messages = messages_;
    for (const auto& process : processes_) {
      result.group.push_back(process && process->group() ? std::make_shared<Place>(*process->group())
                                                         : nullptr);
      if (!process) continue;
      result.most_state_bytes = std::max(result.most_state_bytes, process->state_bytes());
      if (!process->reported()) result.wrong = "a process has not reported";
      if (process->participates() != process->group().has_value())
        result.wrong = "not exactly the participants";
    }
    return result;
  }

private:
  std::vector<std::unique_ptr<Enrolment>> processes_;
  std::deque<Envelope> under_way_;
  std::size_t messages_ = 0;
};

/// Walks the tree from its root and checks that the places agree with one another.
class Check {
public:
  Check(const Group& group, int branching, int levels)
      : group_(group), branching_(branching), levels_(levels),
        members_(std::ranges::count_if(group, [](auto& p) { return !!p; })),
        has_rank_(static_cast<std::size_t>(members_)) {}

  std::string operator()() {
    for (std::size_t id = 0; id < group_.size() && wrong_.empty(); ++id)
      if (group_[id] && group_[id]->parent == nobody) visit(static_cast<Id>(id), nobody, 0, 0);
    if (wrong_.empty() && visited_ != members_)
      wrong_ = fmt::format("{} of {} processes hang together", visited_, members_);
    return wrong_;
  }

private:
  void require(bool condition, Id id, const char* what) {
    if (!condition && wrong_.empty()) wrong_ = fmt::format("process {}: {}", id, what);
  }

  /// Visits process `id`, whose parent is `above`. Returns the ranks of its subtree.
  std::vector<Rank> visit(Id id, Id above, int depth, Rank rank) {
    require(id >= 0 && static_cast<std::size_t>(id) < group_.size() && group_[static_cast<std::size_t>(id)],
            id, "does not participate");
    if (!wrong_.empty()) return {};
    const Place& place = *group_[static_cast<std::size_t>(id)];
    ++visited_;
    require(place.id == id, id, "has another's place");
    require(place.parent == above, id, "parent");
    require(place.depth == depth, id, "depth");
    require(place.rank == rank, id, "rank");
    require(place.size == members_, id, "size of the group");
    require(rank >= 0 && rank < members_ && !has_rank_[static_cast<std::size_t>(rank)], id, "rank taken");
    require(depth < levels_, id, "too deep");
    require(place.children.size() <= static_cast<std::size_t>(branching_), id, "too many children");
    if (!wrong_.empty()) return {};
    has_rank_[static_cast<std::size_t>(rank)] = true;
    std::vector<Rank> ranks{rank};
    for (std::size_t index = 0; index < place.children.size(); ++index) {
      const auto [child, child_rank] = place.children[index];
      const std::vector<Rank> below = visit(child, id, depth + 1, child_rank);
      require(ranks_in(place.subtree(index)) == below, id, "ranks below a child");
      ranks.insert(ranks.end(), below.begin(), below.end());
    }
    std::ranges::sort(ranks);
    if (place.numbering == Place::ChildNumbering::by_branch)
      require(place.descendants + 1 == std::ssize(ranks), id, "descendants");
    require(ranks_in(place.subtree()) == ranks, id, "ranks of the subtree");
    require(ranks_in(complement(complement(place.subtree(), place.size), place.size)) == ranks, id,
            "ranks of all others");
    return ranks;
  }

  static std::vector<Rank> ranks_in(const std::vector<Interval>& intervals) {
    std::vector<Rank> ranks;
    for (const auto& [first, end] : intervals)
      for (Rank rank = first; rank < end; ++rank) ranks.push_back(rank);
    return ranks;
  }

  const Group& group_;
  int branching_, levels_;
  std::ptrdiff_t members_, visited_ = 0;
  std::vector<bool> has_rank_;
  std::string wrong_;
};

} // namespace

const std::vector<Scheme>& schemes() {
  using enum Scheme::SchemeAlgorithm;
  using enum Scheme::Filler;
  static const std::vector<Scheme> all{{centralised, none, 3}, {hash, none, 3},          {hash, child, 3},
                                       {hash, leaf, 3},        {balance, child, 3},      {balance, leaf, 3},
                                       {hash, leaf, 3, 0, 20}, {balance, leaf, 3, 0, 20}};
  return all;
}

std::string name(const Scheme& scheme) {
  constexpr const char* algorithms[] = {"centralised", "balance", "hash"};
  constexpr const char* fillers[] = {"none", "child", "leaf"};
  return fmt::format("{}, filler {}, at least {}, branching factor {}",
                     algorithms[static_cast<int>(scheme.algorithm)], fillers[static_cast<int>(scheme.filler)],
                     scheme.least_fillers, scheme.branching);
}

Group communicator(Rank size, int branching) {
  Group group;
  for (Rank rank = 0; rank < size; ++rank)
    group.push_back(std::make_shared<Place>(in_communicator(rank, size, branching)));
  return group;
}

Result enrol(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme,
             Delivery delivery, std::mt19937_64& random) {
  Network network(parent, participates, scheme);
  network.run(delivery, random);
  Result result = network.result();
  const auto members = std::ranges::count_if(result.group, [](auto& place) { return !!place; });
  if (result.wrong.empty())
    result.wrong =
        wrong_with(result.group, scheme.branching, height(static_cast<Rank>(members), scheme.branching));
  return result;
}

std::string wrong_with(const Group& group, int branching, int levels) {
  return Check(group, branching, levels)();
}

} // namespace tree_test
