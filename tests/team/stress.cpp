// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Everything at random and at the same time. Threads move between teams, and teams follow one another under
// the same id. Members are ahead of others, compute, communicate and help. ThreadSanitizer checks the plain
// memory accesses of the jobs.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "team/helper_threads.hpp"
#include "team/registry.hpp"
#include "team/team_support.hpp"

using namespace std::chrono_literals;
using namespace helper::team;
using test_support::seed;

namespace {

using Random = std::mt19937_64;

int draw(Random& random, int least, int most) {
  return std::uniform_int_distribution(least, most)(random);
}

/// An imitation of a message that is packed. Exactly one chunk must touch each byte.
struct Message {
  static void pack(void* context, std::size_t begin, std::size_t end) noexcept {
    auto* const message = static_cast<Message*>(context);
    for (std::size_t i = begin; i < end; ++i) ++message->bytes[i];
  }

  Job job(Random& random) {
    return {pack, this, bytes.size(), static_cast<std::size_t>(draw(random, 1, 64))};
  }
  bool packed_once() const { return std::ranges::count(bytes, 1) == std::ssize(bytes); }

  std::vector<std::uint8_t> bytes;
};

constexpr auto nothing_to_say = [] { return std::string(); };

/// Runs some jobs, one after the other. Returns how many went wrong.
int run_jobs(Member& member, Random& random) {
  int wrong = 0;
  for (int job = draw(random, 1, 3); job > 0; --job) {
    Message message{std::vector<std::uint8_t>(static_cast<std::size_t>(draw(random, 0, 500)))};
    member.run(message.job(random));
    wrong += !message.packed_once();
  }
  return wrong;
}

/// Keeps several jobs in flight, perhaps more than fit into the work list. Retires them in random order.
/// Returns how many went wrong.
int run_pipeline(Member& member, Random& random) {
  struct Flight {
    Message message;
    WorkList::Ticket ticket = WorkList::none;
  };
  std::deque<Flight> flights; // a deque, because elements must not move
  for (int job = draw(random, 1, 40); job > 0; --job) {
    Flight& flight = flights.emplace_back();
    flight.message.bytes.resize(static_cast<std::size_t>(draw(random, 1, 300)));
    flight.ticket = member.publish(flight.message.job(random));
  }
  std::vector<Flight*> order;
  for (Flight& flight : flights) order.push_back(&flight);
  std::ranges::shuffle(order, random);
  int wrong = 0;
  for (Flight* const flight : order) {
    member.lend_until([&] { return member.retire(flight->ticket); }, nothing_to_say, Woken::perhaps);
    wrong += !flight->message.packed_once();
  }
  return wrong;
}

void compute(Random& random) {
  for (int i = draw(random, 0, 500); i > 0; --i) spin_pause();
}

/// Meets the other members. The leader sums what all have brought. Returns whether this member gets the right
/// sum.
bool learns_sum(Member& member, bool may_lead) {
  struct Part {
    int addend;
    int sum = 0;
  } mine{member.index() + 1};
  member.team().meet(member, &mine, may_lead, "MEET", [](std::span<void* const> parts) noexcept {
    int sum = 0;
    for (void* part : parts) sum += static_cast<Part*>(part)->addend;
    for (void* part : parts) static_cast<Part*>(part)->sum = sum;
  });
  const int size = member.team().size();
  return mine.sum == size * (size + 1) / 2;
}

/// What the members of a team share in a phase.
struct Phase {
  Phase(int size, Random& random) : meetings(draw(random, 0, 3)), wrote(static_cast<std::size_t>(size)) {}

  const int meetings;

  std::atomic<int> joined{0}; // members in the phase; others may wait for them
  std::vector<int> wrote;     // a member writes its element before LEAVE and reads all afterwards
};

/// Plays the part of the calling member in a phase. Returns the number of errors.
int take_part(Phase& phase, Random& random) {
  Member& member = *presence.member();
  phase.joined.fetch_add(1);
  int wrong = 0;
  for (int meeting = 0; meeting < phase.meetings; ++meeting) {
    compute(random);
    wrong += !learns_sum(member, draw(random, 0, 1) == 1);
  }
  for (int action = draw(random, 0, 3); action > 0; --action) {
    switch (draw(random, 0, 3)) {
    case 0:
      compute(random);
      break;
    case 1:
      wrong += run_jobs(member, random);
      break;
    case 2:
      wrong += run_pipeline(member, random);
      break;
    default: // like a barrier
      member.lend_until([&] { return phase.joined.load() == std::ssize(phase.wrote); }, nothing_to_say,
                        Woken::perhaps);
    }
  }
  return wrong;
}

/// Threads that form teams under the same id, one after the other. Each team is a new generation.
struct Meeting {
  Meeting(int team_id, int team_size, Random& random) : id(team_id), size(team_size) {
    for (int generation = draw(random, 1, 3); generation > 0; --generation) {
      auto& phases = generations.emplace_back();
      for (int phase = draw(random, 0, 3); phase > 0; --phase) phases.emplace_back(size, random);
    }
  }

  const int id;
  const int size;
  std::deque<std::deque<Phase>> generations;
};

/// Takes part in a meeting as thread number `rank`. Returns the number of errors.
int attend(Meeting& meeting, int rank, const Waiting& waiting, Random& random) {
  int wrong = 0;
  for (std::deque<Phase>& phases : meeting.generations) {
    const Handle handle = create(meeting.id, meeting.size, waiting);
    compute(random);
    bool joined = false;
    for (Phase& phase : phases) {
      if (!joined) join(handle);
      wrong += take_part(phase, random);
      phase.wrote[static_cast<std::size_t>(rank)] = rank + 1;
      joined = &phase != &phases.back() && draw(random, 0, 1) == 1;
      joined ? fence(handle) : leave(handle);
      const int sum = std::accumulate(phase.wrote.begin(), phase.wrote.end(), 0);
      wrong += sum != meeting.size * (meeting.size + 1) / 2;
    }
    free(handle);
  }
  return wrong;
}

/// A meeting in which a thread takes part, and its number there.
struct Visit {
  Meeting* meeting;
  int rank;
};

/// What each thread will do. It is drawn beforehand, so that threads agree.
struct Plan {
  Plan(int threads, int rounds, Random& random) : visits(static_cast<std::size_t>(threads)) {
    std::vector<std::size_t> order(visits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random);
      for (std::size_t first = 0; first < order.size();) {
        const int size = draw(random, 1, static_cast<int>(order.size() - first));
        Meeting& meeting = meetings.emplace_back(static_cast<int>(meetings.size()), size, random);
        for (int rank = 0; rank < size; ++rank) visits[order[first++]].push_back({&meeting, rank});
      }
    }
  }

  std::deque<Meeting> meetings;
  std::vector<std::vector<Visit>> visits; // by thread
};

/// Calls act(i) in thread i, for i from 0 to `count` - 1. Returns the sum of the results.
template <class Act>
int in_threads(int count, const Act& act) {
  std::vector<int> results(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] { results[static_cast<std::size_t>(i)] = act(i); });
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(results.begin(), results.end(), 0);
}

} // namespace

TEST_CASE("random teams of random threads do all of their work, once") {
  const int threads = GENERATE(3, 8, 13);
  const auto spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 2us);
  std::optional<test_support::Oversubscribed> oversubscribed;
  if (GENERATE(false, true)) oversubscribed.emplace();
  CAPTURE(threads, spin, oversubscribed.has_value());
  Random random(seed());
  Plan plan(threads, oversubscribed ? 20 : 30 / threads,
            random); // a thread that does not yield uses whole time slices
  const int wrong = in_threads(threads, [&](int thread) {
    Random own(seed() + static_cast<std::uint64_t>(thread));
    int sum = 0;
    for (const auto& [meeting, rank] : plan.visits[static_cast<std::size_t>(thread)])
      sum += attend(*meeting, rank, {.spin = spin, .spin_if_oversubscribed = spin}, own);
    return sum;
  });
  CHECK(wrong == 0);
  CHECK(live().empty());
}

TEST_CASE("guests come and go while helper threads serve them") {
  const int threads = GENERATE(3, 8);
  const auto spin = GENERATE(as<std::chrono::nanoseconds>{}, 0s, 2us);
  CAPTURE(threads, spin);
  Team team(0, threads, {.spin = spin});
  const HelperThreads helpers(team, 2, [](int) {});
  int wrong = 0;
  for (int round = 0; round < 10; ++round) {
    wrong += in_threads(threads, [&](int thread) {
      Random random(seed() + static_cast<std::uint64_t>(round * threads + thread));
      Member& member = be_guest_of(team);
      return run_jobs(member, random) + run_pipeline(member, random);
    });
  }
  CHECK(wrong == 0);
}
