// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "team/team.hpp"
#include "trace/track.hpp"

using namespace helper;

namespace {

constexpr int calls = 20000;

std::uint64_t counted(const std::string& operation) {
  std::uint64_t sum = 0;
  trace::visit_counters([&](const trace::Counters& counters) {
    if (counters.operation == operation) sum += counters.calls[0].value();
  });
  return sum;
}

/// Calls two functions alternately. They are recorded on a track of this thread.
void record(int member) {
  trace::Track* const track = trace::open(1, member);
  for (int call = 0; call < calls; ++call) {
    const trace::Call recorded(track, call % 2 == 0 ? "MPI_Bcast" : "MPI_Reduce");
    track->moved(8, 2);
  }
  trace::close(track);
}

} // namespace

TEST_CASE("Counters are recorded once somebody asks, by members that join then") {
  team::Team team(2, 1, {});
  team::Member& member = team.add();
  CHECK(member.track() == nullptr);
  team.join(member, "MPI_Helper_join");
  CHECK(member.track() == nullptr);
  team.leave(member, "MPI_Helper_leave");
  trace::count();
  CHECK(trace::is_on());
  team.join(member, "MPI_Helper_join");
  REQUIRE(member.track() != nullptr);
  team.leave(member, "MPI_Helper_leave");
  std::uint64_t lent = 0;
  trace::visit_counters([&](const trace::Counters& counters) {
    if (counters.operation == std::string("MPI_Helper_leave")) lent += counters.calls[1].value();
  });
  CHECK(lent == 1);
}

TEST_CASE("Counters can be read while members record, and never shrink") {
  trace::count();
  std::atomic<int> recording{2};
  std::vector<std::thread> threads;
  for (int member = 0; member < 2; ++member) {
    threads.emplace_back([&recording, member] {
      record(member);
      recording.fetch_sub(1);
    });
  }
  bool shrinks = false;
  for (std::uint64_t last = 0; recording.load() != 0;) {
    const std::uint64_t now = counted("MPI_Reduce");
    shrinks = shrinks || now < last;
    last = now;
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(shrinks);
  CHECK(counted("MPI_Bcast") == calls);
  CHECK(counted("MPI_Reduce") == calls);
}

TEST_CASE("What is forgotten before recording begins anew still counts") {
  trace::count();
  record(0);
  const std::uint64_t before = counted("MPI_Bcast");
  trace::clear();
  CHECK(counted("MPI_Bcast") == before);
  record(0);
  CHECK(counted("MPI_Bcast") == before + calls / 2);
}
