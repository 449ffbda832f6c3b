// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/roles.hpp"

// Large scattered messages between a sender in a phase and a receiver that is in none, or not all the time.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int ints = 100'000;

/// Which part of a receive happens in a phase.
struct Part {
  const char* name;
  bool starts;
  bool completes;
};
constexpr Part parts[] = {
    {"none", false, false}, {"the start", true, false}, {"the completion", false, true}};

/// Single ints with gaps.
Data scattered() {
  Type type(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  return Data({std::move(type), 1}, ints);
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

TEST_CASE("What is sent in a phase arrives, whichever part of its receipt happens in a phase") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (world.rank() > 1) return;
  int key = 0;
  for (const Receiving& way : receivings()) {
    for (const Completing& completing : completings()) {
      for (const Part& part : parts) {
        INFO(way.name << ", " << completing.name << ", in a phase: " << part.name);
        Data data = scattered();
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
