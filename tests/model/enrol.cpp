// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "model/enrol.hpp"
#include "support/catch.hpp"

using namespace helper::groups::tree;
using enum Scheme::SchemeAlgorithm;
using Filler = Scheme::Filler;

namespace {

/// Returns the choice of every third process.
std::vector<bool> some(std::size_t processes) {
  std::vector<bool> chosen(processes);
  for (std::size_t id = 0; id < processes; id += 3) chosen[id] = true;
  return chosen;
}

} // namespace

TEST_CASE("One process enrols in no time") {
  const auto enrolled = model::enrol({.latency = 1}, {true}, {centralised, Filler::none, 3});
  CHECK(enrolled.seconds == 0);
  CHECK(enrolled.messages == 0);
  CHECK(enrolled.height == 1);
}

TEST_CASE("Where nothing but latency costs, times are the edges of the longest path") {
  const model::Costs costs{.latency = 1};
  // 13 processes are two levels below the root: 2 edges each for broadcast, way up, way down and reduction.
  const std::vector<bool> all(13, true);
  CHECK(model::enrol(costs, all, {centralised, Filler::none, 3}).seconds == 8);
  CHECK(model::enrol(costs, all, {balance, Filler::leaf, 3}).seconds == 8);
  CHECK(model::enrol(costs, all, {hash, Filler::none, 3}).seconds == 10); // introductions take two more
}

TEST_CASE("The model runs the library's algorithms: the same counts, and trees as shallow as promised") {
  const auto chosen = some(2000);
  for (const Scheme scheme : {Scheme{centralised, Filler::none, 3}, Scheme{hash, Filler::none, 3},
                              Scheme{balance, Filler::leaf, 3}}) {
    const auto enrolled = model::enrol({.latency = 5e-6, .send_overhead = 3e-6}, chosen, scheme);
    CHECK(enrolled.height == height(667, 3));
    CHECK(enrolled.most_children <= 3);
    CHECK(enrolled.seconds > 0);
    if (scheme.algorithm == centralised) CHECK(enrolled.messages == 1999 + 666);
  }
}

TEST_CASE("A list takes a processor as long as a message, and so does a filler") {
  const model::Costs costs{.receive_overhead = 1};
  const std::vector<bool> both{true, true};
  // The six parts: start, list, its message, another list, its message, end.
  CHECK(model::enrol(costs, both, {centralised, Filler::none, 3}).seconds == 6);
  // The six parts: start, list, a filler in it, its message, a descent, end.
  CHECK(model::enrol(costs, both, {balance, Filler::leaf, 3}).seconds == 6);
  CHECK(model::enrol(costs, both, {balance, Filler::leaf, 3}, 0.5).seconds == 5);
  CHECK(model::enrol(costs, both, {balance, Filler::leaf, 3}, 0).seconds == 4);
}

TEST_CASE("A process does one thing after the other, and each message is handled once") {
  const auto chosen = some(200);
  std::vector<double> busy_until(chosen.size());
  std::size_t handled = 0;
  bool is_in_order = true;
  const auto enrolled = model::enrol({.latency = 5e-6, .send_overhead = 3e-6, .receive_overhead = 3e-6},
                                     chosen, {hash, Filler::child, 3}, 1, [&](const model::Busy& busy) {
                                       double& until = busy_until[static_cast<std::size_t>(busy.process)];
                                       is_in_order &= busy.since >= until && busy.until >= busy.since;
                                       until = busy.until;
                                       handled += busy.kind ? 1 : 0;
                                     });
  CHECK(is_in_order);
  CHECK(handled == enrolled.messages);
}

TEST_CASE("What a member keeps is no more in a larger group; the centralised scheme's root has all members") {
  const auto memory = [](const Scheme& scheme, std::size_t processes) {
    return model::enrol({.latency = 1}, some(processes), scheme);
  };
  for (const Scheme scheme : {Scheme{centralised, Filler::none, 3}, Scheme{hash, Filler::none, 3},
                              Scheme{balance, Filler::leaf, 3}})
    CHECK(memory(scheme, 9000).most_place_bytes == memory(scheme, 900).most_place_bytes);
  CHECK(memory({hash, Filler::none, 3}, 9000).most_state_bytes ==
        memory({hash, Filler::none, 3}, 900).most_state_bytes);
  CHECK(memory({centralised, Filler::none, 3}, 9000).most_state_bytes > 3000 * sizeof(Id));
  const auto balanced = memory({balance, Filler::leaf, 3}, 900);
  CHECK(balanced.delivered >= balanced.deliveries);
}
