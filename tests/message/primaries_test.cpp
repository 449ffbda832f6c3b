// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include "hybrid/in_team.hpp"
#include "message/roles.hpp"
#include "support/catch.hpp"

// Several members of one team send and receive at the same time, all between the same ranks: on one
// communicator with different tags, and on different communicators.

using namespace test_support;

namespace {

constexpr int primaries = 4;
constexpr int helpers = 1;
constexpr int repetitions = 24;
constexpr int unused_tag = primaries; // no message has it

/// Sends some messages to the next rank and receives as many from the previous one, all at the same time.
/// Returns whether all are right.
bool exchange(MPI_Comm comm, int rank, int size, int tag, Draw& shared, Draw& own) {
  constexpr std::size_t messages = 3;
  std::vector<Data> out;
  std::vector<Data> in;
  for (std::size_t i = 0; i < messages; ++i) {
    const int ints = draw_ints(shared);
    out.emplace_back(own, ints).put(rank + static_cast<int>(i));
    in.emplace_back(own, ints);
  }
  const int next = (rank + 1) % size;
  const int previous = (rank - 1 + size) % size;
  std::vector<MPI_Request> requests(2 * messages, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < messages; ++i) send_later<MPI_Isend>(out[i], {comm, next, tag}, &requests[i]);
  for (std::size_t i = 0; i < messages; ++i)
    receive_later<MPI_Irecv>(in[i], {comm, previous, tag}, nullptr, &requests[messages + i]);
  std::vector<MPI_Status> statuses(requests.size());
  bool good = complete_shuffled(requests, statuses, own) == MPI_SUCCESS;
  for (std::size_t i = 0; i < messages; ++i) {
    const MPI_Status& status = statuses[messages + i];
    good = good && in[i].holds(previous + static_cast<int>(i), in[i].ints());
    good = good && status.MPI_SOURCE == previous && status.MPI_TAG == tag;
  }
  return good;
}

} // namespace

TEST_CASE("Several members of a team send and receive at once") {
  const Comm world(MPI_COMM_WORLD);
  std::vector<Comm> comms;
  for (int i = 0; i < primaries; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    comms.emplace_back(copy);
  }
  const int rank = world.rank();
  const int size = world.size();
  std::vector<int> right(primaries, 0);
  in_team(primaries + helpers, 0, [&](int index, MPI_Helper_team) {
    Draw shared(seed() + static_cast<std::uint64_t>(index));
    Draw own(seed() + static_cast<std::uint64_t>(100 * (rank + 1) + index));
    for (int repetition = 0; repetition < repetitions && index < primaries; ++repetition) {
      const auto at = static_cast<std::size_t>(index);
      const MPI_Comm comm = repetition % 2 == 0 ? static_cast<MPI_Comm>(comms[at]) : MPI_COMM_WORLD;
      if (exchange(comm, rank, size, index, shared, own)) ++right[at];
    }
  });
  REQUIRE(right == std::vector<int>(primaries, repetitions));
}

TEST_CASE("A probe takes no message away from a receive of another thread") {
  constexpr int messages = 300;
  const Comm world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() - 1 + world.size()) % world.size();
  std::atomic<bool> received{false}; // the receiver sets it after its last message; it orders no data
  int in_order = 0;
  const auto member = [&](bool receives) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(2, 2, &team);
    MPI_Helper_join(team);
    int flag = 0;
    while (!receives && !received)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; receives && i < messages; ++i) {
      const int ints = i % 2 == 0 ? 4 : 20; // a small message, and one of the size of an RTS
      const std::vector<int> out(20, i);
      std::vector<int> in(20, -1);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out.data(), ints, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
      MPI_Recv(in.data(), i % 3 == 0 ? ints : 20, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (in.front() == i && in[static_cast<std::size_t>(ints) - 1] == i) ++in_order;
    }
    if (receives) received = true;
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  std::thread watching(member, false);
  std::thread receiving(member, true);
  watching.join();
  receiving.join();
  CHECK(in_order == messages);
}

namespace {

/// MPICH copies arrays of it element by element. So the library announces them, even to a receiver of bytes.
struct Particle {
  double mass;
  int kind;
};

Type particle_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Particle, mass), offsetof(Particle, kind)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  return Type(PMPI_Type_create_struct, 2, lengths, places, types);
}

} // namespace

namespace {

// Called in the next allocation of this thread, and then reset.
using Hook = void (*)();
thread_local constinit Hook at_allocation = nullptr;

// In each round one thread begins to test a request, and another tests it. The counters of rounds order these
// steps.
std::atomic<int> begun{0};
std::atomic<int> looked{0};

/// Lets the other thread test in the middle of the test of this thread. Goes on after some time, because the
/// other thread may have to wait for this thread.
void give_way() {
  constexpr int turns = 500;
  const int round = begun.fetch_add(1) + 1;
  for (int i = 0; i < turns && looked < round; ++i) std::this_thread::yield();
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (at_allocation != nullptr) std::exchange(at_allocation, nullptr)();
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

TEST_CASE("Two threads that look at one receive at once both see the message when it has come") {
  constexpr int rounds = 20;
  constexpr int count = 200;
  constexpr int bytes = count * static_cast<int>(sizeof(double) + sizeof(int));
  const Comm world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() - 1 + world.size()) % world.size();
  const Type type = particle_type();
  const std::vector<Particle> out(count, Particle{1.5, 7});
  std::vector<char> in(bytes);
  MPI_Request request = MPI_REQUEST_NULL; // the first thread writes it before each round
  std::array<int, 2> right{};
  const auto look = [&](int index) {
    int is_over = 0;
    MPI_Status status{};
    while (is_over == 0) MPI_Request_get_status(request, &is_over, &status);
    int received = -1;
    PMPI_Get_count(&status, MPI_BYTE, &received);
    if (received == bytes) ++right[static_cast<std::size_t>(index)];
  };
  const auto in_team = [](const auto& body) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(2, 2, &team);
    MPI_Helper_join(team);
    for (int round = 1; round <= rounds; ++round) body(round);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  begun = looked = 0;
  std::thread other(in_team, [&](int round) {
    while (begun < round) std::this_thread::yield();
    look(1);
    looked = round;
  });
  in_team([&](int round) {
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &request);
    MPI_Isend(out.data(), count, type, next, 0, MPI_COMM_WORLD, &sent);
    MPI_Barrier(MPI_COMM_WORLD); // the announcement has arrived
    at_allocation = give_way;
    look(0);
    if (std::exchange(at_allocation, nullptr) != nullptr) ++begun; // the test allocated nothing
    while (looked < round) std::this_thread::yield();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  });
  other.join();
  CHECK(right == std::array{rounds, rounds});
}

namespace {

Data scattered() {
  constexpr int ints = 3000;
  return Data({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints);
}

/// Sends two messages to the next rank and receives two from the previous one. Frees three of the requests
/// and completes the receive into `in`. Returns whether the message in `in` is right.
bool exchange_freely(MPI_Comm comm, int next, int previous, int tag, const Data& out, Data& in, Data& freed) {
  std::array<MPI_Request, 4> requests{};
  in.clear();
  freed.clear();
  receive_later<MPI_Irecv>(freed, {comm, previous, tag}, nullptr, &requests[0]);
  receive_later<MPI_Irecv>(in, {comm, previous, tag}, nullptr, &requests[1]);
  send_later<MPI_Isend>(out, {comm, next, tag}, &requests[2]);
  send_later<MPI_Isend>(out, {comm, next, tag}, &requests[3]);
  for (MPI_Request* const request : {&requests[0], &requests[2], &requests[3]}) MPI_Request_free(request);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  int flag = 0;
  while (!freed.holds(1, freed.ints())) MPI_Iprobe(previous, unused_tag, comm, &flag, MPI_STATUS_IGNORE);
  return in.holds(1, in.ints());
}

} // namespace

TEST_CASE(
    "Requests that are freed are carried out by whichever thread comes by, and no other is taken for one") {
  constexpr int rounds = 300;
  const Comm world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() - 1 + world.size()) % world.size();
  std::vector<int> right(primaries, 0);
  Data out = scattered(); // may be in flight many times, since it never changes
  out.put(1);
  const auto member = [&](int index) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(3, primaries, &team);
    MPI_Helper_join(team);
    Data in = scattered();
    Data freed = scattered();
    for (int round = 0; round < rounds; ++round)
      right[static_cast<std::size_t>(index)] +=
          exchange_freely(world, next, previous, index, out, in, freed) ? 1 : 0;
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  std::vector<std::thread> threads;
  for (int index = 0; index < primaries; ++index) threads.emplace_back(member, index);
  for (std::thread& thread : threads) thread.join();
  PMPI_Barrier(world); // now nothing is in flight
  CHECK(right == std::vector<int>(primaries, rounds));
}
