// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "enrol.hpp"

#include "groups/tree/shrinking.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace model {
namespace {

using namespace helper::groups::tree;

struct Event {
  enum class Kind { begin, enrolment, done } kind;
  Id from;
  std::optional<EnrolmentMessage> message;
};

std::size_t fillers(const EnrolmentMessage& report) {
  MessageReader reader(report);
  return get_report(reader).fillers.size();
}

class Enrolling {
public:
  Enrolling(const Costs& costs, const std::vector<bool>& participates, const Scheme& scheme, double list_cost,
            const std::function<void(const Busy&)>& watch)
      : simulation_(costs, participates.size()), costs_(costs), filler_(scheme.filler), list_cost_(list_cost),
        watch_(watch) {
    const auto size = static_cast<Rank>(participates.size());
    processes_.reserve(participates.size());
    for (Id id = 0; id < size; ++id)
      processes_.emplace_back(
          id, size, participates[static_cast<std::size_t>(id)], scheme,
          [this, id](Id to, EnrolmentMessage message) { send(id, to, std::move(message)); });
  }

  Enrolled run() {
    simulation_.alarm(0, 0, {Event::Kind::begin, nobody, {}});
    simulation_.run([this](Id id, Event event) {
      const double since = simulation_.since(id);
      const auto kind = event.message ? std::optional(event.message->kind()) : std::nullopt;
      handle(id, std::move(event));
      if (watch_) watch_({id, since, simulation_.now(id), kind});
    });
    double state_bytes = 0;
    for (const auto& [place, enrolment, done] : processes_) {
      result_.most_state_bytes = std::max(result_.most_state_bytes, enrolment->state_bytes());
      state_bytes += static_cast<double>(enrolment->state_bytes());
      const auto& group = enrolment->group();
      if (!group) continue;
      result_.most_place_bytes =
          std::max(result_.most_place_bytes, sizeof *group + heap_bytes(group->children));
      result_.most_children = std::max(result_.most_children, static_cast<int>(group->children.size()));
      result_.height = std::max(result_.height, group->depth + 1);
    }
    result_.mean_state_bytes = state_bytes / static_cast<double>(processes_.size());
    return result_;
  }

private:
  struct Process {
    Process(Id id, Rank size, bool participates, const Scheme& scheme, Send send)
        : place(std::make_unique<Place>(in_communicator(id, size, scheme.branching))),
          enrolment(make_enrolment(scheme, *place, participates, std::move(send))) {}

    std::unique_ptr<const Place> place;
    std::unique_ptr<Enrolment> enrolment;
    std::size_t done = 0; ///< children in the new tree whose subtrees are complete
  };

  void send(Id from, Id to, EnrolmentMessage message) {
    simulation_.work(from, items(message) * costs_.send_overhead);
    const std::size_t bytes = message.bytes();
    ++result_.messages;
    if (to == from) ++result_.to_itself;
    simulation_.send(from, to, bytes, {Event::Kind::enrolment, from, std::move(message)});
  }

  static constexpr std::size_t signal_bytes = 4; ///< of messages before and after the enrolment

  void handle(Id id, Event event) {
    Process& process = processes_[static_cast<std::size_t>(id)];
    const bool had_place = process.enrolment->group().has_value();
    switch (event.kind) {
    case Event::Kind::begin:
      for (const auto& child : process.place->children)
        simulation_.send(id, child.id, signal_bytes, {Event::Kind::begin, id, {}});
      process.enrolment->start();
      break;
    case Event::Kind::enrolment:
      note(*event.message);
      simulation_.work(id, items(*event.message) * costs_.receive_overhead);
      process.enrolment->receive(event.from, *event.message);
      break;
    case Event::Kind::done:
      ++process.done;
    }
    const auto& group = process.enrolment->group();
    if (!group || (had_place && event.kind != Event::Kind::done) || process.done < group->children.size())
      return;
    if (group->parent == nobody)
      result_.seconds = simulation_.now(id);
    else
      simulation_.send(id, group->parent, signal_bytes, {Event::Kind::done, id, {}});
  }

  void note(const EnrolmentMessage& message) {
    if (message.kind() != EnrolmentMessage::EnrolmentKind::delivery) return;
    ++result_.deliveries;
    MessageReader subtree(message);
    subtree.get(), subtree.get(); // its root, and the number of messages that its root waits for
    result_.delivered += static_cast<std::size_t>(subtree.get());
  }

  /// Returns the parts of a message that are handled one by one, in addition to the parts that all messages
  /// have.
  double items(const EnrolmentMessage& message) const {
    switch (message.kind()) {
    case EnrolmentMessage::EnrolmentKind::roster:
    case EnrolmentMessage::EnrolmentKind::part:
      return list_cost_;
    case EnrolmentMessage::EnrolmentKind::report:
      if (filler_ != Scheme::Filler::leaf) return 0;
      return list_cost_ * (1 + static_cast<double>(fillers(message)));
    default:
      return 0;
    }
  }

  Simulation<Event> simulation_;
  Costs costs_;
  Scheme::Filler filler_;
  double list_cost_;
  const std::function<void(const Busy&)>& watch_;
  std::vector<Process> processes_;
  Enrolled result_;
};

} // namespace

Enrolled enrol(const Costs& costs, const std::vector<bool>& participates, const Scheme& scheme,
               double list_cost, const std::function<void(const Busy&)>& watch) {
  return Enrolling(costs, participates, scheme, list_cost, watch).run();
}

} // namespace model
