// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "groups/tree/place.hpp"

namespace helper::groups::tree {

/// Processes send one another such messages in an enrolment: integers of 32 bits, of which the first is the
/// kind.
class EnrolmentMessage {
public:
  enum class Kind : std::int32_t {
    roster,       ///< centralised, up: the participants of a subtree
    part,         ///< centralised, down: the participants of a new subtree
    report,       ///< up: what a subtree has become
    relocation,   ///< to the filler of a hole
    descent,      ///< down, in what the parent's tree has become
    order,        ///< balance: give vertices away
    delivery,     ///< balance: a subtree that is given away
    registration, ///< hash: a rank's process, to those who introduce neighbours to one another
    introduction  ///< hash: neighbours
  };

  EnrolmentMessage(Kind kind, std::initializer_list<std::int32_t> words) {
    words_.reserve(words.size() + 1);
    put({static_cast<std::int32_t>(kind)});
    put(words);
  }
  /// Makes a message of the words that were received.
  explicit EnrolmentMessage(std::vector<std::int32_t> words) : words_(std::move(words)) {
    assert(!words_.empty());
  }

  Kind kind() const { return static_cast<Kind>(words_.front()); }
  std::span<const std::int32_t> words() const { return words_; } ///< what is to be sent
  std::size_t bytes() const { return words_.size() * sizeof(std::int32_t); }

  void put(std::initializer_list<std::int32_t> words) { words_.insert(words_.end(), words); }
  void put(std::span<const std::int32_t> words) {
    put({static_cast<std::int32_t>(words.size())});
    words_.insert(words_.end(), words.begin(), words.end());
  }
  /// Puts in structs of two words each, after their number.
  template <class Pair>
  void put_pairs(const std::vector<Pair>& pairs) {
    put({static_cast<std::int32_t>(pairs.size())});
    for (const auto& [first, second] : pairs) put({first, second});
  }

private:
  std::vector<std::int32_t> words_;
};

/// A reader takes a message apart, in the order in which it was put together.
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

} // namespace helper::groups::tree
