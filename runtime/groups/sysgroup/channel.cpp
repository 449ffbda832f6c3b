// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/channel.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "lifetime/never_destroyed.hpp"
#include "native/attribute.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "ranks/world.hpp"
#include "team/detours.hpp"

namespace helper::groups::sysgroup {

namespace {

// Tags beyond all tags of shadows.
constexpr int control_tag = 32768;
constexpr int first_port_tag = 32769;
constexpr std::size_t topic_words = 3; // at the end of a control message

constinit native::Attribute<std::shared_ptr<GroupChannel>> channels;

Topic take_topic(Words& words) {
  const auto end = words.end();
  const Topic topic{{end[-3], end[-2]}, end[-1]};
  words.resize(words.size() - topic_words);
  return topic;
}

} // namespace

std::shared_ptr<GroupChannel> GroupChannel::of(MPI_Comm comm, team::Member& member) {
  std::shared_ptr<GroupChannel>* found = nullptr;
  check(channels.get(comm, found));
  if (found == nullptr) {
    auto made = std::make_unique<std::shared_ptr<GroupChannel>>(new GroupChannel(comm, member));
    found = made.get();
    if ((*found)->shadow_ == nullptr) return nullptr;
    (*found)->carry([&] { check(channels.set(comm, made)); });
  }
  return *found;
}

GroupChannel::GroupChannel(MPI_Comm user, team::Member& member) {
  // Making a communicator blocks in MPI, so all ranks must have come before.
  MPI_Request all_there = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(user, &all_there));
  int failed = MPI_SUCCESS;
  member.lend_until([&] { return ranks::over(all_there, failed); },
                    [] { return std::string("waits for the other ranks in MPIX_Sysgroup_from_comm"); },
                    team::Woken::by_mpi);
  check(failed);
  comm_ = ranks::Communicator(ranks::private_copy(user));
  if (comm_ == MPI_COMM_NULL) return;
  check(PMPI_Comm_rank(comm_, &rank_));
  shadow_ = transport::Shadow::of(comm_, member, transport::Shadow::Tags::all);
  if (shadow_ != nullptr) relayed_.emplace(*shadow_);
}

// Names and registers the group in one step, so that meanwhile no thread drops messages about it as stale.
GroupChannel::Membership GroupChannel::join_communicator() {
  const std::lock_guard lock(mutex_);
  // All processes have made equally many such groups, so they throw alike.
  if (communicators_ == std::numeric_limits<std::int32_t>::max())
    throw ranks::MpiError(MPI_COMM_WORLD, MPI_ERR_OTHER);
  return know({Name::of_communicator, communicators_++});
}

GroupChannel::Membership GroupChannel::found_group() {
  const std::lock_guard lock(mutex_);
  // This process is in all groups whose names it made, so it knows which names are in use.
  do groups_ = groups_ == std::numeric_limits<std::int32_t>::max() ? 0 : groups_ + 1;
  while (known_.contains({rank_, groups_}));
  return know({rank_, groups_});
}

GroupChannel::Membership GroupChannel::join(Name group) {
  const std::lock_guard lock(mutex_);
  return know(group);
}

GroupChannel::Membership GroupChannel::know(Name group) {
  known_.emplace(group, KnownGroup{});
  return Membership(this, Held<Name>{group});
}

void GroupChannel::give_back(Name group) noexcept {
  const std::lock_guard lock(mutex_);
  known_.erase(group);
  throw_stale_away();
}

GroupChannel::Port GroupChannel::lease_port() {
  constexpr int tags = tags_of_operations + 1;
  static const int most = (ranks::world::largest_tag(comm_) - first_port_tag) / tags;
  const std::lock_guard lock(mutex_);
  if (free_ports_.empty()) {
    if (ports_ == most) throw ranks::MpiError(MPI_COMM_WORLD, MPI_ERR_OTHER);
    free_ports_.reserve(static_cast<std::size_t>(ports_) + 1); // so that giving back a port needs no memory
    free_ports_.push_back(first_port_tag + ports_++ * tags);
  }
  const int first = free_ports_.back();
  free_ports_.pop_back();
  return Port(this, Held<int>{first});
}

void GroupChannel::give_back(int port) noexcept {
  const std::lock_guard lock(mutex_);
  free_ports_.push_back(port);
}

/// Returns whether nobody here needs messages of this topic. The hash scheme sends messages about enrolments
/// that have finished. A group that is unknown here has been freed, or this process is about to join it. In
/// the second case its serial number is still unused, or this process takes part in an enrolment.
bool GroupChannel::is_stale(const Topic& topic) const {
  if (const auto known = known_.find(topic.group); known != known_.end())
    return topic.turn >= 0 && topic.turn < known->second.turn;
  if (topic.group.root == Name::of_communicator) return topic.group.serial < communicators_;
  return subscriptions_ == 0;
}

void GroupChannel::throw_stale_away() {
  std::erase_if(messages_, [this](const auto& entry) { return is_stale(entry.first); });
}

void GroupChannel::collect() {
  for (;;) {
    int there = 0;
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(PMPI_Improbe(MPI_ANY_SOURCE, control_tag, shadow_->comm(), &there, &matched, &status));
    if (there == 0) return;
    int count = 0;
    PMPI_Get_count(&status, MPI_INT32_T, &count);
    ControlMessage message{status.MPI_SOURCE, Words(static_cast<std::size_t>(count))};
    check(PMPI_Mrecv(message.words.data(), count, MPI_INT32_T, &matched, MPI_STATUS_IGNORE));
    const Topic topic = take_topic(message.words);
    deliver(topic, std::move(message));
    // Another thread may wait for the message. So may this thread, if it collects within another wait.
    if (subscriptions_ > 0) shadow_->ring(rank_);
  }
}

/// Keeps a message that has arrived, or relays it.
void GroupChannel::deliver(const Topic& topic, ControlMessage message) {
  if (is_stale(topic)) return;
  if (topic.turn == Topic::announcements) {
    // Without a place, this process is still making the group or is about to free it: it keeps the message.
    const auto known = known_.find(topic.group);
    const tree::Place* const place = known == known_.end() ? nullptr : known->second.place;
    if (place != nullptr && place->rank != message.words.front())
      return relay(topic, std::move(message.words));
  }
  messages_[topic].push_back(std::move(message));
}

void GroupChannel::relay(const Topic& topic, Words words) {
  const tree::Place& place = *known_.find(topic.group)->second.place;
  static_cast<void>(relayed_->is_empty()); // completes the sends that have finished
  const tree::Id next = place.toward(words.front());
  relayed_->send(topic, next, std::move(words));
}

void GroupChannel::begin_relaying(Name group, const tree::Place& place) noexcept {
  const std::lock_guard lock(mutex_);
  known_.find(group)->second.place = &place;
  auto early = messages_.extract({group, Topic::announcements});
  if (early.empty()) return;
  try {
    for (ControlMessage& message : early.mapped()) deliver(early.key(), std::move(message));
  } catch (...) {
    shadow_->failure().give_up();
  }
}

void GroupChannel::end_relaying(Name group) noexcept {
  const std::lock_guard lock(mutex_);
  known_.find(group)->second.place = nullptr;
}

void GroupChannel::announce(Name group, tree::Rank to, const Words& words) {
  Words all{to};
  all.insert(all.end(), words.begin(), words.end());
  const std::lock_guard lock(mutex_);
  relay({group, Topic::announcements}, std::move(all));
}

void GroupChannel::poll() noexcept {
  if (shadow_->failure().gave_up(shadow_->rank())) return;
  try {
    const std::lock_guard lock(mutex_);
    collect();
  } catch (...) {
    shadow_->failure().give_up();
  }
}

GroupChannel::Subscription::Subscription(GroupChannel& channel, Topic topic)
    : channel_(channel), topic_(topic) {
  const std::lock_guard lock(channel_.mutex_);
  ++channel_.subscriptions_;
}

GroupChannel::Subscription::~Subscription() {
  const std::lock_guard lock(channel_.mutex_);
  --channel_.subscriptions_;
  if (const auto known = channel_.known_.find(topic_.group); known != channel_.known_.end())
    known->second.turn = std::max(known->second.turn, topic_.turn + 1);
  channel_.throw_stale_away();
}

std::optional<ControlMessage>
GroupChannel::Subscription::next(const std::function<bool(const Words&)>& is_wanted) {
  const std::lock_guard lock(channel_.mutex_);
  channel_.collect();
  const auto found = channel_.messages_.find(topic_);
  if (found == channel_.messages_.end()) return std::nullopt;
  const auto wanted = std::ranges::find_if(found->second, is_wanted, &ControlMessage::words);
  if (wanted == found->second.end()) return std::nullopt;
  ControlMessage message = std::move(*wanted);
  found->second.erase(wanted);
  if (found->second.empty()) channel_.messages_.erase(found);
  return message;
}

/// Messages may still be in flight after an error. Their buffers are leaked: MPI may read them at any time.
Outbox::~Outbox() {
  for (Sending& sending : under_way_) {
    int done = 0;
    PMPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
    if (sending.request == MPI_REQUEST_NULL) continue; // sent, or refused by MPI
    PMPI_Request_free(&sending.request);
    static_cast<void>(sending.words.release());
  }
}

void Outbox::send(const Topic& topic, int to, Words words) {
  words.insert(words.end(), {topic.group.root, topic.group.serial, topic.turn});
  Sending& sending = under_way_.emplace_back(Sending{std::make_unique<Words>(std::move(words))});
  check(PMPI_Isend(sending.words->data(), static_cast<int>(sending.words->size()), MPI_INT32_T, to,
                   control_tag, shadow_.comm(), &sending.request));
  shadow_.ring(to);
}

bool Outbox::is_empty() {
  while (!under_way_.empty()) {
    int done = 0;
    check(PMPI_Test(&under_way_.front().request, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    under_way_.pop_front();
  }
  return true;
}

namespace relays {

namespace {

struct Relays {
  std::mutex mutex;                      // guards the channels; the thread that polls them holds it
  std::map<GroupChannel*, int> channels; // the number of groups of each channel
  // Whether there are channels. Changed with the mutex held, read without it as a hint: relaxed.
  std::atomic<bool> has_any{false};
};

} // namespace

void poll() noexcept {
  Relays& all = lifetime::sole<Relays>();
  if (!all.has_any.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock) return; // another thread polls them
  for (const auto& [channel, groups] : all.channels) channel->poll();
}

void add(GroupChannel& channel) {
  Relays& all = lifetime::sole<Relays>();
  const std::lock_guard lock(all.mutex);
  ++all.channels[&channel];
  if (!all.has_any.load(std::memory_order_relaxed)) team::detours::add(); // so that MPI_Test polls them
  all.has_any.store(true, std::memory_order_relaxed);
}

void remove(GroupChannel& channel) noexcept {
  Relays& all = lifetime::sole<Relays>();
  const std::lock_guard lock(all.mutex);
  const auto found = all.channels.find(&channel);
  if (--found->second == 0) all.channels.erase(found);
  if (all.channels.empty()) team::detours::remove();
  all.has_any.store(!all.channels.empty(), std::memory_order_relaxed);
}

} // namespace relays

} // namespace helper::groups::sysgroup
