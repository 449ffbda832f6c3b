// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/enrolment.hpp"

namespace helper::groups::tree {

namespace {

/// The reference algorithm, section IV. The root gets the list of all participants, which is divided on the
/// way down. Messages, if m of n processes participate: n - 1 up, m - 1 down (m if the root does not).
class Centralised final : public Enrolment {
public:
  Centralised(const Place& place, bool participates, const Scheme& scheme, Send send)
      : Enrolment(place, participates, scheme.branching, std::move(send)), rosters_(place) {}

private:
  void begin() override {
    if (rosters_.complete()) report();
  }

  void handle(Id from, const EnrolmentMessage& message) override {
    MessageReader reader(message);
    if (message.kind() == EnrolmentMessage::EnrolmentKind::roster) {
      const auto roster = reader.get_words();
      rosters_.add(place(), from, {roster.begin(), roster.end()});
      if (rosters_.complete()) report();
      return;
    }
    const Id parent = reader.get() == 0 ? nobody : from;
    const Rank rank = reader.get();
    const Rank size = reader.get();
    const int depth = reader.get();
    settle(parent, rank, size, depth, reader.get_words());
  }

  void report() {
    note_memory();
    std::vector<Id> all;
    if (participates()) all.push_back(place().id);
    for (const std::vector<Id>& roster : rosters_.take()) all.insert(all.end(), roster.begin(), roster.end());
    set_reported();
    if (!is_root()) {
      EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::roster, {});
      message.put(all);
      return send(place().parent, std::move(message));
    }
    if (all.empty()) return;
    const auto size = static_cast<Rank>(all.size());
    if (participates()) return settle(nobody, 0, size, 0, all);
    EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::part, {0, 0, size, 0});
    message.put(all);
    send(all.front(), std::move(message));
  }

  /// Sets this process's new place. `roster`: this process, then all processes below it in the new tree.
  void settle(Id parent, Rank rank, Rank size, int depth, std::span<const Id> roster) {
    auto rest = roster.subspan(1);
    Place group = new_place(rank, size, depth, static_cast<Rank>(rest.size()), parent,
                            Place::ChildNumbering::by_branch);
    Rank next = rank + 1;
    for (auto parts = static_cast<std::size_t>(branching()); !rest.empty(); --parts) {
      const auto part = rest.first((rest.size() + parts - 1) / parts);
      rest = rest.subspan(part.size());
      group.children.push_back({part.front(), next});
      EnrolmentMessage message(EnrolmentMessage::EnrolmentKind::part, {1, next, size, depth + 1});
      message.put(part);
      send(part.front(), std::move(message));
      next += static_cast<Rank>(part.size());
    }
    set_group(std::move(group));
  }

  std::size_t memory() const override {
    std::size_t bytes = sizeof *this + heap_bytes(rosters_.reports());
    for (const std::vector<Id>& roster : rosters_.reports()) bytes += heap_bytes(roster);
    return bytes;
  }

  Gather<std::vector<Id>> rosters_;
};

} // namespace

std::unique_ptr<Enrolment> make_centralised(const Scheme& scheme, const Place& place, bool participates,
                                            Send send) {
  return std::make_unique<Centralised>(place, participates, scheme, std::move(send));
}

} // namespace helper::groups::tree
