// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <chrono>
#include <cstring>
#include <vector>

#include "pipeline/copy_past_caches.hpp"
#include "pipeline/store_choice.hpp"

using namespace helper::pipeline;

namespace {

/// How often, in 1,000 turns, a machine on which each way takes so long makes the choice write by streaming
/// stores.
int streaming_turns(StoreChoice& choice, std::chrono::nanoseconds plain, std::chrono::nanoseconds streaming) {
  int count = 0;
  for (int number = 0; number < 1000; ++number) {
    const StoreChoice::Turn turn = choice.choose();
    const bool streams = turn.way == Stores::streaming;
    if (streams) ++count;
    choice.learn(turn, 1000, streams ? streaming : plain);
  }
  return count;
}

} // namespace

TEST_CASE("The faster stores are learned, and learned anew when the machine changes") {
  using std::chrono::nanoseconds;
  StoreChoice choice;
  CHECK(streaming_turns(choice, nanoseconds(300), nanoseconds(60)) > 900);
  CHECK(streaming_turns(choice, nanoseconds(30), nanoseconds(60)) < 300);
  CHECK(streaming_turns(choice, nanoseconds(300), nanoseconds(60)) > 900);
}

TEST_CASE("One suspended thread does not change the choice") {
  using std::chrono::nanoseconds;
  StoreChoice choice;
  streaming_turns(choice, nanoseconds(30), nanoseconds(60));
  choice.learn({Stores::plain, true, true, false}, 1000, std::chrono::milliseconds(10));
  CHECK(streaming_turns(choice, nanoseconds(30), nanoseconds(60)) < 40); // the trials
}

TEST_CASE("Stores are not judged by the turn that follows the other ones") {
  using std::chrono::nanoseconds;
  StoreChoice choice;
  int plain_turns = 0;
  Stores before = Stores::streaming;
  for (int number = 0; number < 1000; ++number) {
    const StoreChoice::Turn turn = choice.choose();
    const bool plain = turn.way == Stores::plain;
    if (plain) ++plain_turns;
    const int transition = turn.way == before ? 1 : 10;
    choice.learn(turn, 1000, transition * nanoseconds(plain ? 30 : 60));
    before = turn.way;
  }
  CHECK(plain_turns > 900);
}

TEST_CASE("Plain stores are judged once they have settled") {
  using std::chrono::nanoseconds;
  for (const unsigned until_settled : {1U, 12U, 96U}) {
    CAPTURE(until_settled);
    StoreChoice choice;
    unsigned running = 0; // plain turns
    int plain_turns = 0;
    for (int number = 0; number < 20000; ++number) {
      const StoreChoice::Turn turn = choice.choose(until_settled);
      const bool plain = turn.way == Stores::plain;
      running = plain ? running + 1 : 0;
      if (plain) ++plain_turns;
      choice.learn(turn, 1000, nanoseconds(!plain ? 60 : running > until_settled ? 30 : 300));
    }
    CHECK(plain_turns > 19000);
  }
}

TEST_CASE("Stores are tried at all calls of a loop, whose first finds the caches cold") {
  using std::chrono::nanoseconds;
  for (const int length : {2, 4, 8, 16, 32}) {
    CAPTURE(length);
    StoreChoice choice;
    int plain_turns = 0;
    for (int number = 0; number < 8000; ++number) {
      const StoreChoice::Turn turn = choice.choose();
      const bool plain = turn.way == Stores::plain;
      if (plain) ++plain_turns;
      const bool cold = number % length == 0;
      choice.learn(turn, 1000, nanoseconds(!plain ? 60 : cold ? 120 : 30));
    }
    CHECK(plain_turns > (length == 2 ? 4000 : 6000));
  }
}

TEST_CASE("Copies past the caches are copies, of any size") {
  std::vector<std::byte> source(1000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7);
  for (const std::size_t bytes : std::vector<std::size_t>{0, 1, 63, 64, 65, 127, 128, 1000}) {
    alignas(64) std::byte target[1024] = {};
    copy_past_caches(target, source.data(), bytes);
    CHECK(std::memcmp(target, source.data(), bytes) == 0);
    CHECK(target[bytes] == std::byte{0});
  }
}
