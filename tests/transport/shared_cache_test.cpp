// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <mpi.h>

#include <sched.h>

#include <chrono>
#include <utility>
#include <vector>

#include "transport/node.hpp"
#include "transport/node_ranks.hpp"
#include "transport/shared_cache.hpp"

using namespace helper;
using transport::shared_cache::Answer;
using transport::shared_cache::look;
using transport::shared_cache::with;

namespace {

/// The other processes; all are of one node.
std::vector<int> make_node() {
  const transport::NodeRanks node(MPI_COMM_WORLD);
  static bool is_made = false;
  if (!std::exchange(is_made, true)) transport::node::make(node, false);
  std::vector<int> others;
  for (std::size_t process = 0; process < node.count(); ++process)
    if (process != node.own()) others.push_back(static_cast<int>(process));
  return others;
}

// However long the others' threads wait for a processor: nothing else is in these caches.
constexpr std::chrono::seconds fresh(60);

/// Looks until all processes have found what they look for.
template <class Done>
void look_until(const std::vector<int>& others, const Done& done) {
  int all = 0;
  MPI_Request found = MPI_REQUEST_NULL;
  bool has_found = false;
  while (all == 0) {
    const bool has_measured = look(others, fresh);
    if (!has_found && done(has_measured)) {
      has_found = true;
      MPI_Ibarrier(MPI_COMM_WORLD, &found);
    }
    if (has_found) MPI_Test(&found, &all, MPI_STATUS_IGNORE);
    sched_yield(); // to those that must answer
  }
}

/// Has this process run on one processor alone, the same one at all processes, while the object lives.
class OnOneProcessor {
public:
  OnOneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    int processor = 0;
    while (!CPU_ISSET(processor, &before_)) ++processor;
    MPI_Bcast(&processor, 1, MPI_INT, 0, MPI_COMM_WORLD);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    is_bound_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OnOneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;

  bool is_bound() const { return is_bound_; }

private:
  cpu_set_t before_{};
  bool is_bound_ = false;
};

} // namespace

TEST_CASE("Processes that look at each other learn whether they share a cache") {
  const std::vector<int> others = make_node();
  if (others.empty()) return;
  CHECK(with(others) == Answer::unknown);
  look_until(others, [&](bool) { return with(others) != Answer::unknown; });
  for (const int other : others) CHECK(with({&other, 1}) != Answer::unknown);
}

TEST_CASE("A process shares its processor's cache with those that run there, too") {
  const std::vector<int> others = make_node();
  if (others.empty()) return;
  const OnOneProcessor processor;
  REQUIRE(processor.is_bound());
  // An interrupt in the middle may make a measurement wrong.
  int shared = 0;
  int measured = 0;
  look_until(others, [&](bool has_measured) {
    if (has_measured) {
      ++measured;
      if (with(others) == Answer::yes) ++shared;
    }
    return measured >= 100;
  });
  CHECK(shared > measured / 2);
}

TEST_CASE("Nobody is waited for who is not there") {
  CHECK(look({}));
  CHECK(with({}) != Answer::unknown);
}
