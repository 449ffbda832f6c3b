// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cassert>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "groups/tree/place.hpp"

namespace helper::groups::tree {

/// A message of an enrolment: integers of 32 bits, of which the first is the kind.
class EnrolmentMessage {
public:
  enum class EnrolmentKind : std::int32_t {
    roster,       ///< centralised, up: the participants of a subtree
    part,         ///< centralised, down: the participants of a new subtree
    report,       ///< up: the state of a subtree
    relocation,   ///< to the filler of a hole
    descent,      ///< down, in the parent group's tree with its holes filled
    order,        ///< balance: give vertices away
    delivery,     ///< balance: a subtree that is given away
    registration, ///< hash: a rank's process, to the processes that introduce neighbours to one another
    introduction  ///< hash: neighbours
  };

  EnrolmentMessage(EnrolmentKind kind, std::initializer_list<std::int32_t> words) {
    words_.reserve(words.size() + 1);
    put({static_cast<std::int32_t>(kind)});
    put(words);
  }
  /// Makes a message of received words.
  explicit EnrolmentMessage(std::vector<std::int32_t> words) : words_(std::move(words)) {
    assert(!words_.empty());
  }

  EnrolmentKind kind() const { return static_cast<EnrolmentKind>(words_.front()); }
  std::span<const std::int32_t> words() const { return words_; } ///< the words to send
  std::size_t bytes() const { return words_.size() * sizeof(std::int32_t); }

  void put(std::initializer_list<std::int32_t> words) { words_.insert(words_.end(), words); }
  void put(std::span<const std::int32_t> words) {
    put({static_cast<std::int32_t>(words.size())});
    words_.insert(words_.end(), words.begin(), words.end());
  }
  /// Appends structs of two words each, after their number.
  template <class Pair>
  void put_pairs(const std::vector<Pair>& pairs) {
    put({static_cast<std::int32_t>(pairs.size())});
    for (const auto& [first, second] : pairs) put({first, second});
  }

private:
  std::vector<std::int32_t> words_;
};

/// Reads the fields of a message in the order in which they were written.
class MessageReader {
public:
  explicit MessageReader(const EnrolmentMessage& message) : rest_(message.words().subspan(1)) {}

  std::int32_t get() {
    assert(!rest_.empty());
    const std::int32_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }
  std::span<const std::int32_t> get_words() {
    const auto size = static_cast<std::size_t>(get());
    assert(size <= rest_.size());
    const auto words = rest_.first(size);
    rest_ = rest_.subspan(size);
    return words;
  }
  template <class Pair>
  std::vector<Pair> get_pairs() {
    std::vector<Pair> pairs(static_cast<std::size_t>(get()));
    for (Pair& pair : pairs) pair = {get(), get()};
    return pairs;
  }

private:
  std::span<const std::int32_t> rest_;
};

/// How the members of a group find their places in the tree of a new group, in which they enrol.
struct Scheme {
  enum class SchemeAlgorithm : std::int32_t { centralised, balance, hash };
  /// Which process takes the place of one that does not participate; `none` is only for hash.
  enum class Filler : std::int32_t { none, child, leaf };

  SchemeAlgorithm algorithm;
  Filler filler; ///< ignored by the centralised algorithm
  int branching; ///< of the new group's tree, at least 1
  /// With hash: introducers are shifted by this many ranks of the parent group; not negative.
  std::int32_t shift = 0;
  /// With leaves as fillers: a vertex names up to max(least_fillers, its depth) fillers to its parent.
  std::int32_t least_fillers = 0;
};

/// Sends a message of an enrolment to process `to`. This function must not call the enrolment.
using Send = std::function<void(Id to, EnrolmentMessage message)>;

/// One process's part in an enrolment: a state machine without transport. In an enrolment the members of a
/// group, the parent group, enrol in a new one. The caller
/// - calls start() once, before receive();
/// - passes every message that has arrived to receive(), one at a time, in any order;
/// - sends the messages that the object gives to Send, including messages of the process to itself.
/// All processes of the parent group take part, with the same scheme.
///
/// Once a participant's `group()` is set it does not change. An enrolment has finished when all participants
/// have their places and no message is in flight. With `centralised` and `balance`, a process gets no message
/// once it has its place. A process that does not participate gets none after its report (`reported()`). With
/// `hash`, any process of the parent group may be asked at any time to introduce others. So each process must
/// receive until all participants are known to have their places.
///
/// Memory, if n is the size of the parent group and k the branching factor: O(n) bytes for centralised, O(k)
/// for hash without fillers. With children as fillers O(k), but a vertex can temporarily have O(k log n)
/// children. With leaves as fillers O(k max(log n, least_fillers)).
///
/// Source: Langer, Venkataraman and Kale, "Distributed Algorithms for Constructing Balanced Spanning Trees on
/// System-ranked Process Groups": sections IV, V, VI.
class Enrolment {
public:
  virtual ~Enrolment() = default;
  Enrolment(const Enrolment&) = delete;
  Enrolment& operator=(const Enrolment&) = delete;

  void start();
  void receive(Id from, const EnrolmentMessage& message);

  bool participates() const { return participates_; }
  /// Returns whether the process has sent its report to the vertex above or, at the root, the first descent.
  bool reported() const { return reported_; }
  /// Returns the place in the new group; nothing until it is known, and at processes that do not participate.
  const std::optional<Place>& group() const { return group_; }

  /// Returns the most memory in bytes, of the state and the new place, that note_memory() has found.
  std::size_t state_bytes() const { return state_bytes_; }

protected:
  Enrolment(const Place& place, bool participates, int branching, Send send)
      : place_(place), participates_(participates), branching_(branching), send_(std::move(send)) {}

  const Place& place() const { return place_; }
  int branching() const { return branching_; }
  bool is_root() const { return place_.parent == nobody; }
  void send(Id to, EnrolmentMessage message) { send_(to, std::move(message)); }
  void set_reported() { reported_ = true; }
  void set_group(Place place) { group_ = std::move(place); }
  /// Returns a place for this process in the new group, without children so far.
  Place new_place(Rank rank, Rank size, int depth, Rank descendants, Id parent,
                  Place::ChildNumbering numbering) const {
    return {place_.id, rank, size, depth, descendants, parent, branching_, numbering, {}};
  }
  /// Measures the memory in use. Runs after each message; a handler also calls it where it needs more.
  void note_memory();

private:
  virtual void begin() = 0;
  virtual void handle(Id from, const EnrolmentMessage& message) = 0;
  virtual std::size_t memory() const = 0; ///< returns the bytes of the object and of its heap memory

  const Place& place_;
  bool participates_, reported_ = false;
  std::int32_t branching_;
  const Send send_;
  std::optional<Place> group_;
  std::size_t state_bytes_ = 0;
};

/// Makes the state machine of a scheme. `place`, this process's place in the parent group, must outlive it.
/// Throws std::invalid_argument if the scheme is no valid combination.
std::unique_ptr<Enrolment> make_enrolment(const Scheme& scheme, const Place& place, bool participates,
                                          Send send);

// Each function makes the state machine of one algorithm, and is in the file of that name.
std::unique_ptr<Enrolment> make_centralised(const Scheme&, const Place&, bool participates, Send);
std::unique_ptr<Enrolment> make_hash(const Scheme&, const Place&, bool participates, Send);
std::unique_ptr<Enrolment> make_balance(const Scheme&, const Place&, bool participates, Send);

/// Returns the heap memory of a vector of plain values.
template <class Value>
std::size_t heap_bytes(const std::vector<Value>& values) {
  return values.capacity() * sizeof(Value);
}

/// Waits for a report from every child, and keeps the reports in the order of the children.
template <class Report>
class Gather {
public:
  explicit Gather(const Place& place) : outstanding_(place.children.size()), reports_(outstanding_) {}

  bool complete() const { return outstanding_ == 0; }

  void add(const Place& place, Id from, Report report) {
    std::size_t index = 0;
    while (place.children[index].id != from) ++index;
    reports_[index] = std::move(report);
    --outstanding_;
  }

  std::vector<Report> take() { return std::move(reports_); }
  const std::vector<Report>& reports() const { return reports_; }

private:
  std::size_t outstanding_;
  std::vector<Report> reports_;
};

} // namespace helper::groups::tree
