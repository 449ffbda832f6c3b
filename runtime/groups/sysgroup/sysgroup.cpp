// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/sysgroup.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "ranks/world.hpp"
#include "shm/node_context.hpp"

namespace helper::groups::sysgroup {

namespace {

// The first word of a control message is its kind. The kinds of enrolment messages are not negative.
enum : std::int32_t {
  introduction = -1, ///< tells a neighbour's port and rank; the parent's introduction also the group's name
  settled = -2,      ///< moves up when all members below have their places
  over = -3          ///< moves down when all members have their places
};

/// Members of a new group know their places. Here they learn the group's name and their neighbours' ports. A
/// member sends its port to its parent and, once it knows the name, port and name to its children.
class Introduction {
public:
  /// `membership` is nullptr unless this process knows the group's name already. The root must know it.
  Introduction(GroupChannel& channel, Topic topic, tree::Place place, GroupChannel::Membership membership)
      : channel_(channel), topic_(topic), place_(std::move(place)), membership_(std::move(membership)),
        port_(channel.lease_port()) {
    for (const auto& child : place_.children) neighbours_.push_back({child.id, 0, false});
    if (place_.parent != tree::nobody) neighbours_.push_back({place_.parent, 0, false});
    missing_ = neighbours_.size();
  }

  /// Sends the first messages. Throws MpiError.
  void begin(Outbox& out) {
    if (place_.parent != tree::nobody)
      out.send(topic_, place_.parent, {introduction, port_.get_deleter().what, place_.rank});
    if (membership_ != nullptr) tell_children(out);
  }

  /// Handles the introduction that neighbour `from` has sent. Throws MpiError.
  void receive(int from, std::span<const std::int32_t> words, Outbox& out) {
    std::ranges::find(neighbours_, from, &Sysgroup::Neighbour::rank)->port = words[1];
    --missing_;
    if (from != place_.parent) return;
    parent_ = words[2];
    if (membership_ != nullptr) return;
    membership_ = channel_.join({words[3], words[4]});
    tell_children(out);
  }

  /// Returns whether the name and all neighbours are known.
  bool is_complete() const noexcept { return membership_ != nullptr && missing_ == 0; }

  /// Moves out the result. It may be called once, when is_complete() is true.
  Sysgroup::LocalView take() {
    return {std::move(membership_), std::move(place_), parent_, std::move(port_), std::move(neighbours_)};
  }

private:
  void tell_children(Outbox& out) {
    const auto [root, serial] = membership_.get_deleter().what;
    for (const auto& child : place_.children)
      out.send(topic_, child.id, {introduction, port_.get_deleter().what, place_.rank, root, serial});
  }

  GroupChannel& channel_;
  const Topic topic_;
  tree::Place place_;
  GroupChannel::Membership membership_;
  GroupChannel::Port port_;
  tree::Rank parent_ = 0; // the rank of the parent
  std::vector<Sysgroup::Neighbour> neighbours_;
  std::size_t missing_;
};

/// Carries the messages of a process's part in an enrolment. It hands them to the state machine (Enrolment),
/// introduces neighbours, and, if the scheme requires it, detects when all members have their places.
class Admission {
public:
  /// `parent` is this process's place in a group of `channel`. Both parameters must outlive the object.
  Admission(GroupChannel& channel, Topic topic, const tree::Place& parent, const tree::Scheme& scheme,
            bool participates)
      : subscription_(channel, topic), channel_(channel), parent_(parent), out_(channel.shadow()),
        enrolment_(tree::make_enrolment(
            scheme, parent, participates,
            [this](tree::Id to, const tree::EnrolmentMessage& message) { send(to, message.words()); })),
        needs_end_(scheme.algorithm == tree::Scheme::SchemeAlgorithm::hash),
        unsettled_(parent.children.size()) {
    enrolment_->start();
  }

  /// Advances without blocking. Throws MpiError.
  void advance() {
    while (auto message = subscription_.next()) handle(std::move(*message));
    while (!own_.empty()) {
      ControlMessage message = std::move(own_.front());
      own_.pop_front();
      handle(std::move(message));
    }
    if (enrolment_->group() && !introduction_) meet();
    if (needs_end_ && !has_reported_ && unsettled_ == 0 && enrolment_->reported() &&
        (!enrolment_->participates() || enrolment_->group()))
      report();
  }

  /// Returns whether the enrolment has finished for this process. Throws MpiError.
  bool is_complete() {
    if (needs_end_ ? !is_over_ : !enrolment_->participates() && !enrolment_->reported()) return false;
    if (enrolment_->participates() && !(introduction_ && introduction_->is_complete())) return false;
    return own_.empty() && out_.is_empty();
  }

  /// Moves out a participant's view of the new group. It may be called once, when is_complete() is true.
  Sysgroup::LocalView take() { return introduction_->take(); }

private:
  void send(tree::Id to, std::span<const std::int32_t> message) {
    Words words(message.begin(), message.end());
    if (to == parent_.id)
      own_.push_back({to, std::move(words)});
    else
      out_.send(subscription_.topic(), to, std::move(words));
  }

  void handle(ControlMessage message) {
    switch (message.words.front()) {
    case introduction:
      if (!introduction_)
        early_.push_back(std::move(message));
      else
        introduction_->receive(message.from, message.words, out_);
      return;
    case settled:
      --unsettled_;
      return;
    case over:
      return end();
    default:
      enrolment_->receive(message.from, tree::EnrolmentMessage(std::move(message.words)));
    }
  }

  /// Introduces this process to its neighbours, now that its place is known.
  void meet() {
    const tree::Place& place = *enrolment_->group();
    const bool is_root = place.parent == tree::nobody;
    introduction_.emplace(channel_, subscription_.topic(), place, is_root ? channel_.found_group() : nullptr);
    introduction_->begin(out_);
    for (; !early_.empty(); early_.pop_front())
      introduction_->receive(early_.front().from, early_.front().words, out_);
  }

  void report() {
    has_reported_ = true;
    if (parent_.parent == tree::nobody) return end();
    out_.send(subscription_.topic(), parent_.parent, {settled});
  }

  void end() {
    is_over_ = true;
    for (const auto& child : parent_.children) out_.send(subscription_.topic(), child.id, {over});
  }

  GroupChannel::Subscription subscription_;
  GroupChannel& channel_;
  const tree::Place& parent_;
  Outbox out_;
  std::deque<ControlMessage> own_;   // messages of this process to itself
  std::deque<ControlMessage> early_; // messages of neighbours that arrived before this process had a place
  std::unique_ptr<tree::Enrolment> enrolment_;
  std::optional<Introduction> introduction_;
  const bool needs_end_; // messages may arrive until all members have places, which must be detected
  std::size_t unsettled_;
  bool has_reported_ = false, is_over_ = false;
};

/// Waits until `done()`, lending `member`. Throws PeerGaveUp.
template <class Done>
void wait(const char* function, const transport::Shadow& shadow, team::Member& member, const Done& done) {
  member.lend_until(
      done,
      [&] {
        return "rank " + std::to_string(shadow.rank()) + " of " + std::to_string(shadow.size()) +
               " waits for others in " + function;
      },
      team::Woken::perhaps, [&] { shadow.failure().check_peers(); });
}

/// Returns `ranks`, all of one node, in the order of their positions: from ranks[0] on, wrapping around.
std::vector<tree::Id> in_neighbourhood(const std::vector<tree::Id>& ranks, MPI_Comm comm) {
  std::vector<std::pair<int, tree::Id>> places;
  for (const tree::Id rank : ranks)
    places.emplace_back(ranks::Nodes::position(ranks::world::rank(comm, rank)), rank);
  const auto first = places.front();
  std::ranges::sort(places);
  // clang 14 does not compile std::ranges::rotate.
  std::rotate(places.begin(), std::ranges::find(places, first), places.end());
  std::vector<tree::Id> sorted;
  for (const auto& [position, rank] : places) sorted.push_back(rank);
  return sorted;
}

tree::Place place_in(const transport::Shadow& shadow, Sysgroup::TreeLayout layout, int branching) {
  const ranks::Nodes& nodes = shadow.nodes();
  if (layout == Sysgroup::TreeLayout::by_rank || nodes.count() == 0)
    return tree::in_communicator(shadow.rank(), shadow.size(), branching);
  std::vector<std::vector<tree::Id>> ranks;
  for (std::size_t node = 0; node < nodes.count(); ++node)
    ranks.push_back(in_neighbourhood(nodes.ranks(node), shadow.comm()));
  return tree::by_nodes(shadow.rank(), ranks, branching);
}

} // namespace

std::shared_ptr<Sysgroup> Sysgroup::of_communicator(MPI_Comm comm, TreeLayout layout, int branching,
                                                    team::Member& member) {
  const auto channel = GroupChannel::of(comm, member);
  if (channel == nullptr) return nullptr;
  const transport::Shadow& shadow = channel->shadow();
  return channel->carry([&] {
    auto membership = channel->join_communicator();
    GroupChannel::Subscription subscription(*channel, {membership.get_deleter().what, 0});
    Outbox out(shadow);
    Introduction introduction(*channel, subscription.topic(), place_in(shadow, layout, branching),
                              std::move(membership));
    introduction.begin(out);
    wait("MPIX_Sysgroup_from_comm", shadow, member, [&] {
      while (const auto message = subscription.next())
        introduction.receive(message->from, message->words, out);
      return introduction.is_complete() && out.is_empty();
    });
    return std::shared_ptr<Sysgroup>(new Sysgroup(channel, introduction.take()));
  });
}

std::shared_ptr<Sysgroup> Sysgroup::enrol(const char* function, const tree::Scheme& scheme, int count,
                                          int own, team::Member& member) {
  std::deque<Admission>
      admissions; // subscriptions end together: the end of one drops the messages of earlier enrolments
  for (int number = 0; number < count; ++number)
    admissions.emplace_back(*channel_, Topic{name(), ++turn_}, view_.place, scheme, number == own);
  wait(function, channel_->shadow(), member, [&] {
    bool all_complete = true;
    for (Admission& admission : admissions) {
      admission.advance();
      all_complete &= admission.is_complete();
    }
    return all_complete;
  });
  if (own < 0) return nullptr;
  return std::shared_ptr<Sysgroup>(new Sysgroup(channel_, admissions[static_cast<std::size_t>(own)].take()));
}

Sysgroup::Sysgroup(std::shared_ptr<GroupChannel> channel, LocalView view)
    : channel_(std::move(channel)), view_(std::move(view)) {
  view_.neighbours.shrink_to_fit();
  for (Neighbour& neighbour : view_.neighbours) {
    const int world_rank = ranks::world::rank(channel_->comm(), neighbour.rank);
    const bool is_near = shm::arena().part(world_rank) != nullptr;
    neighbour.process = is_near ? shm::arena().index(world_rank) : -1;
  }
  if (lies_between_others()) relays::add(*channel_);
  channel_->begin_relaying(name(), view_.place);
}

Sysgroup::~Sysgroup() {
  channel_->end_relaying(name());
  if (lies_between_others()) relays::remove(*channel_);
}

/// Returns whether announcements for other members may arrive at this member.
bool Sysgroup::lies_between_others() const noexcept {
  return view_.place.numbering != tree::Place::ChildNumbering::direct && view_.neighbours.size() > 1;
}

int Sysgroup::world_rank() const {
  return ranks::world::rank(channel_->comm(), view_.place.id);
}

std::size_t Sysgroup::toward(tree::Rank target) const {
  tree::Place::ChildNumbering numbering = view_.place.numbering;
  // Processes of a whole communicator can address all members, but edges are those of the implicit tree.
  if (numbering == tree::Place::ChildNumbering::direct) numbering = tree::Place::ChildNumbering::by_level;
  const tree::Id next = view_.place.toward(target, numbering);
  return static_cast<std::size_t>(std::ranges::find(view_.neighbours, next, &Neighbour::rank) -
                                  view_.neighbours.begin());
}

Sysgroup::Turned Sysgroup::turned_to(tree::Rank root) const {
  Turned tree;
  if (root != view_.place.rank) tree.above = toward(root);
  for (std::size_t neighbour = 0; neighbour < view_.neighbours.size(); ++neighbour)
    if (neighbour != tree.above) tree.below.push_back(neighbour);
  return tree;
}

std::vector<tree::Interval> Sysgroup::beyond(std::size_t neighbour) const {
  const tree::Place& place = view_.place;
  if (neighbour < place.children.size()) return place.subtree(neighbour);
  return tree::complement(place.subtree(), place.size);
}

} // namespace helper::groups::sysgroup
