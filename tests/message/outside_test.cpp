// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>
#include <string_view>
#include <thread>

#include "message/partners.hpp"
#include "support/as_shared_library.hpp"

// Sends large messages in a phase to a receiver that is outside phases for all or part of the time.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int ints = 100'000;

/// Which part of a receive happens in a phase: its start, its completion, or none.
struct Part {
  const char* name;
  bool starts;
  bool completes;
};
constexpr Part parts[] = {
    {"none", false, false}, {"the start", true, false}, {"the completion", false, true}};

/// Returns a buffer of single ints with gaps.
Data scattered() {
  Type type(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  return Data({std::move(type), 1}, ints);
}

Data dense() {
  return Data({Type(PMPI_Type_contiguous, ints, MPI_INT), 1}, ints);
}

/// Returns whether contiguous data of a sender that waits may be announced. For that the two processes must
/// share memory, which MPI_HELPER_ARENA=0 prevents in one run.
bool may_announce_dense() {
  const char* const arena = std::getenv("MPI_HELPER_ARENA");
  return arena == nullptr || std::string_view(arena) != "0";
}

/// Returns whether contiguous data of a sender that waits are certainly announced. For that each thread needs
/// a core, even the threads that only rest.
bool is_dense_announced() {
  return may_announce_dense() &&
         2 * static_cast<unsigned>(team_size()) <= std::thread::hardware_concurrency();
}

/// Calls `body` in a phase, or outside.
template <class Body>
void perhaps_in_phase(Helpers& helpers, bool in_phase, const Body& body) {
  if (in_phase) {
    helpers.phase(body);
  } else {
    body();
  }
}

} // namespace

TEST_CASE_METHOD(Partners,
                 "What is sent in a phase arrives, whichever part of its receipt happens in a phase") {
  const auto make = GENERATE(scattered, dense);
  if (world.rank() > 1) return;
  int key = 0;
  for (const Receiving& way : receivings()) {
    for (const Completing& completing : completings()) {
      for (const Part& part : parts) {
        INFO(way.name << ", " << completing.name << ", in a phase: " << part.name);
        Data data = make();
        ++key;
        if (world.rank() == 0) {
          data.put(key);
          helpers.phase([&] { MPI_Send(data.address(), data.count(), data.type(), 1, tag, world); });
          continue;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        perhaps_in_phase(helpers, part.starts, [&] {
          CHECK(way.start(data, {world, 0, tag}, &status, &request) == MPI_SUCCESS);
        });
        perhaps_in_phase(helpers, part.completes,
                         [&] { CHECK(complete(completing, request, &status) == MPI_SUCCESS); });
        int received = 0;
        PMPI_Get_count(&status, MPI_INT, &received);
        CHECK(received == ints);
        CHECK(data.holds(key, ints));
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      }
    }
  }
}

namespace {

/// Receives two messages of rank 0: the first through the library, the second natively. Returns the second as
/// MPI has it, which is an RTS if the message was announced.
std::vector<int> take_second(Helpers& helpers, const Comm& world, Data& data) {
  const Receiving& recv = receivings().front();
  // The first message may be native: rank 0 must learn that rank 1 receives through the library.
  helpers.phase([&] { recv.start(data, {world, 0, tag}, MPI_STATUS_IGNORE, nullptr); });
  std::vector<int> second(ints);
  MPI_Status status;
  PMPI_Recv(second.data(), ints, MPI_INT, 0, tag, world, &status);
  int received = 0;
  PMPI_Get_count(&status, MPI_INT, &received);
  second.resize(static_cast<std::size_t>(received));
  return second;
}

bool has_size_of_rts(const std::vector<int>& received) {
  return received.size() >= 16 && received.size() < 24;
}

/// Called at rank 1, which has taken an RTS of rank 0 out of MPI. Sends the RTS to itself and receives the
/// message through the library.
void receive_announced(Helpers& helpers, const Comm& world, Data data, const std::vector<int>& rts) {
  const Receiving& recv = receivings().front();
  const int received = static_cast<int>(rts.size());
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(rts.data(), received, MPI_INT, world.rank(), tag, world, &request);
  data.clear();
  helpers.phase([&] { recv.start(data, {world, world.rank(), tag}, MPI_STATUS_IGNORE, nullptr); });
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(data.holds(2, ints));
}

/// Returns whether `way` is a buffered send, which is native.
bool is_buffered(const Sending& way) {
  return std::string_view(way.name).find_first_of("Bb") != std::string_view::npos;
}

} // namespace

TEST_CASE_METHOD(
    Partners,
    "Dense data are announced within a node where the sender waits, and are MPI's where it goes on") {
  const bool waits = GENERATE(true, false);
  if (world.rank() > 1) return;
  Data data = dense();
  if (world.rank() == 0) {
    for (const int key : {1, 2}) {
      data.put(key);
      helpers.phase([&] {
        if (waits) {
          CHECK(MPI_Send(data.address(), data.count(), data.type(), 1, tag, world) == MPI_SUCCESS);
        } else {
          MPI_Request request = MPI_REQUEST_NULL;
          CHECK(MPI_Isend(data.address(), data.count(), data.type(), 1, tag, world, &request) == MPI_SUCCESS);
          CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
      });
    }
  } else {
    const std::vector<int> second = take_second(helpers, world, data);
    if (has_size_of_rts(second)) {
      CHECK((waits && may_announce_dense()));
      receive_announced(helpers, world, std::move(data), second);
    } else {
      CHECK_FALSE((waits && is_dense_announced()));
      CHECK((second == contents(2, ints)));
    }
  }
}

TEST_CASE_METHOD(Partners, "A message of the user's that looks like an RTS arrives as what it is") {
  if (world.rank() > 1) return;
  std::vector<int> values(24);
  if (world.rank() == 0) {
    for (const int key : {1, 2}) {
      Data data = scattered();
      data.put(key);
      helpers.phase([&] { MPI_Send(data.address(), data.count(), data.type(), peer, tag, world); });
    }
    MPI_Status status;
    PMPI_Recv(values.data(), 24, MPI_INT, peer, tag, world, &status);
    int received = 0;
    PMPI_Get_count(&status, MPI_INT, &received);
    values.resize(static_cast<std::size_t>(received));
  } else {
    Data data = scattered();
    values = take_second(helpers, world, data);
    REQUIRE(has_size_of_rts(values));
    receive_announced(helpers, world, std::move(data), values);
    PMPI_Send(values.data(), static_cast<int>(values.size()), MPI_INT, peer, tag, world);
  }

  const auto number = static_cast<int>(values.size());
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const Sending& sending : sendings()) {
    if (sending.needs_receive || is_buffered(sending)) continue;
    for (const Receiving& receiving : receivings()) {
      INFO(sending.name << " to " << receiving.name);
      Data data(own, number);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status{};
      helpers.phase([&] {
        if (world.rank() == 1) {
          data.put(values);
          CHECK(sending.start(data, {world, peer, tag}, &request) == MPI_SUCCESS);
        } else {
          CHECK(receiving.start(data, {world, peer, tag}, &status, &request) == MPI_SUCCESS);
        }
        CHECK(complete(completings().front(), request, &status) == MPI_SUCCESS);
      });
      CHECK(data.values() == values);
      if (world.rank() == 0) check_status(status, peer, tag, data, number);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
}
