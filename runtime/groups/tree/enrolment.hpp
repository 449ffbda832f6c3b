// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "groups/tree/message.hpp"
#include "groups/tree/place.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace helper::groups::tree {

/// How the members of a group that enrol in a new one find their places in its tree.
struct Scheme {
  enum class Algorithm : std::int32_t { centralised, balance, hash };
  /// Who takes the place of a process that does not participate. `none`: nobody, for hash alone.
  enum class Filler : std::int32_t { none, child, leaf };

  Algorithm algorithm;
  Filler filler; ///< of no matter for the centralised algorithm
  int branching; ///< of the new group's tree, at least 1
  /// For hash: by how many ranks of the parent those who introduce others are moved on; not negative.
  std::int32_t shift = 0;
};

/// Where an enrolment's messages go. `send` must not call back.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void send(Id to, Message message) = 0;
};

/// One process's part in the enrolment of a group, the parent, in a new one: a state machine that knows no
/// transport. Whoever has one
///   - starts it with its place in the parent, once, before anything that has arrived for it;
///   - hands it every message for it, one at a time, in any order;
///   - sends what it puts into the sink, also messages to itself.
/// All processes of the parent take part, with the same scheme.
///
/// When `group()` has become a participant's place it remains so. All messages have been received when all
/// participants have their places and none is under way. Of `centralised` and `balance` a process gets no
/// message after its place; a process that does not participate gets none once it has been at its last report
/// (`reported()`). With `hash` any process of the parent may at any time be asked to introduce others, so it
/// has to go on receiving until all participants are known to have their places.
///
/// Memory: O(k) bytes for hash without filler and with children as fillers, whose vertices can have O(k log
/// n) children meanwhile; O(k log n) with leaves as fillers; of the order of the group for centralised.
///
/// Source: Langer, Venkataraman and Kale, "Distributed Algorithms for Constructing Balanced Spanning Trees on
/// System-ranked Process Groups": sections IV, V, VI.
class Enrolment {
public:
  virtual ~Enrolment() = default;
  Enrolment(const Enrolment&) = delete;
  Enrolment& operator=(const Enrolment&) = delete;

  void start(Sink& sink);
  void receive(Id from, const Message& message, Sink& sink);

  bool participates() const { return participates_; }
  /// It has told its parent of its subtree or, at the root, the new group's root of its task.
  bool reported() const { return reported_; }
  /// The place in the new group; none before it is known, and at processes that do not participate.
  const std::optional<Place>& group() const { return group_; }

  /// What this process has sent so far.
  std::size_t messages() const { return messages_; }
  std::size_t bytes() const { return bytes_; }
  /// The most memory that it has had between two messages, with the new place and without the parent's.
  std::size_t state_bytes() const { return state_bytes_; }

protected:
  Enrolment(const Place& place, bool participates, int branching)
      : place_(place), participates_(participates), branching_(branching) {}

  const Place& place() const { return place_; }
  int branching() const { return branching_; }
  bool is_root() const { return place_.parent == nobody; }
  void send(Id to, Message message, Sink& sink);
  void set_reported() { reported_ = true; }
  void set_group(Place place) { group_ = std::move(place); }
  /// Where a process holds more than it will when the message at hand is done with.
  void note_memory();

private:
  virtual void begin(Sink& sink) = 0;
  virtual void handle(Id from, const Message& message, Sink& sink) = 0;
  virtual std::size_t memory() const = 0; ///< the object's, and what it has allocated

  const Place& place_;
  bool participates_, reported_ = false;
  std::int32_t branching_;
  std::optional<Place> group_;
  std::size_t messages_ = 0, bytes_ = 0, state_bytes_ = 0;
};

/// `place` is this process's in the parent, and must outlive the result. Throws std::invalid_argument if the
/// scheme is no combination of the above.
std::unique_ptr<Enrolment> make_enrolment(const Scheme& scheme, const Place& place, bool participates);

/// The heap memory of a vector of plain values.
template <class Value>
std::size_t heap_bytes(const std::vector<Value>& values) {
  return values.capacity() * sizeof(Value);
}

} // namespace helper::groups::tree
