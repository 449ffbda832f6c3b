// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <csetjmp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"

// An error handler may leave its MPI call by longjmp or an exception. Afterwards the thread must be in its
// phase as before. Otherwise it would hang in the next collective operation, which the teams of the other
// ranks carry.

// For AddressSanitizer: a jump out of a call leaks the memory of the call.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

using namespace test_support;

namespace {

enum class Exit { jump, exception };
struct Left {};

std::jmp_buf back;
Exit way_out;
thread_local bool may_leave = false; // true while the thread is in is_left()

void leave(MPI_Comm*, int*, ...) {
  if (!may_leave) return;
  may_leave = false;
  if (way_out == Exit::exception) throw Left{};
  std::longjmp(back, 1);
}

/// Returns whether the error handler has left `call`. This frame has no destructors, as longjmp requires.
bool is_left(const std::function<void()>& call, Exit exit) {
  way_out = exit;
  may_leave = true;
  if (exit == Exit::exception) {
    try {
      call();
    } catch (const Left&) {
      return true;
    }
    return false;
  }
  if (setjmp(back) != 0) return true;
  call();
  may_leave = false;
  return false;
}

/// Checks operations that the team performs, with each of its algorithms, and messages that are announced.
void check_round(MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (const int count : {1, 50000}) {
    std::vector<int> mine(static_cast<std::size_t>(2 * count), rank + 1);
    std::vector<int> sum(mine.size());
    MPI_Allreduce(mine.data(), sum.data(), 2 * count, MPI_INT, MPI_SUM, comm);
    REQUIRE(sum == std::vector<int>(mine.size(), ranks * (ranks + 1) / 2));

    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    std::vector<int> from_left(mine.size(), 0);
    MPI_Sendrecv(mine.data(), 1, every_other, (rank + 1) % ranks, 5, from_left.data(), 1, every_other,
                 (rank + ranks - 1) % ranks, 5, comm, MPI_STATUS_IGNORE);
    REQUIRE(from_left[static_cast<std::size_t>(2 * count - 2)] == (rank + ranks - 1) % ranks + 1);
    MPI_Bcast(from_left.data(), 1, every_other, 0, comm);
    REQUIRE(from_left[0] == ranks);
    MPI_Type_free(&every_other);
  }
  MPI_Barrier(comm);
}

struct Call {
  std::string name;
  std::function<void(MPI_Comm)> call;
};

int word;
MPI_Request request;
MPI_Message message;
int flag;

const std::vector<Call> wrong_calls{
    {"MPI_Send to no rank", [](MPI_Comm c) { MPI_Send(&word, 1, MPI_INT, 99, 0, c); }},
    {"MPI_Isend to no rank", [](MPI_Comm c) { MPI_Isend(&word, 1, MPI_INT, 99, 0, c, &request); }},
    {"MPI_Bcast of less than nothing", [](MPI_Comm c) { MPI_Bcast(&word, -1, MPI_INT, 0, c); }},
    {"MPI_Recv from no rank", [](MPI_Comm c) { MPI_Recv(&word, 1, MPI_INT, 77, 0, c, MPI_STATUS_IGNORE); }},
    {"MPI_Irecv from no rank", [](MPI_Comm c) { MPI_Irecv(&word, 1, MPI_INT, 77, 0, c, &request); }},
    {"MPI_Comm_split into nothing", [](MPI_Comm c) { MPI_Comm_split(c, 0, 0, nullptr); }},
    {"MPI_Allreduce onto itself", [](MPI_Comm c) { MPI_Allreduce(&word, &word, 1, MPI_INT, MPI_SUM, c); }},
    {"MPI_Probe of no rank", [](MPI_Comm c) { MPI_Probe(77, 0, c, MPI_STATUS_IGNORE); }},
    {"MPI_Iprobe of no rank", [](MPI_Comm c) { MPI_Iprobe(77, 0, c, &flag, MPI_STATUS_IGNORE); }},
    {"MPI_Improbe of no rank", [](MPI_Comm c) { MPI_Improbe(77, 0, c, &flag, &message, MPI_STATUS_IGNORE); }},
    {"MPI_Sendrecv that truncates",
     [](MPI_Comm c) {
       int self = 0;
       int two[2]{};
       MPI_Comm_rank(c, &self);
       MPI_Sendrecv(two, 2, MPI_INT, self, 3, &word, 1, MPI_INT, self, 3, c, MPI_STATUS_IGNORE);
     }},
    {"MPI_Wait for what is truncated",
     [](MPI_Comm c) {
       int self = 0;
       int two[2]{};
       MPI_Comm_rank(c, &self);
       MPI_Irecv(&word, 1, MPI_INT, self, 4, c, &request);
       MPI_Send(two, 2, MPI_INT, self, 4, c);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"MPI_Helper_leave of no team", [](MPI_Comm) { MPI_Helper_leave(-1); }},
};

/// Sets `leave` as the error handler of MPI_COMM_WORLD and of `comm` while the object lives.
class Leaving : UnnamedHandler {
public:
  Leaving() : UnnamedHandler(leave) { MPI_Comm_dup(MPI_COMM_WORLD, &comm); } // inherits the handler
  ~Leaving() { MPI_Comm_free(&comm); }

  MPI_Comm comm = MPI_COMM_NULL;
};

} // namespace

TEST_CASE("An error handler may leave the call") {
  const auto exit = GENERATE(Exit::jump, Exit::exception);
  const auto& wrong = GENERATE(from_range(wrong_calls));
  CAPTURE(wrong.name, exit == Exit::jump);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Leaving handlers;
  Helpers helpers;
  helpers.phase([&] {
    check_round(handlers.comm);
    if (rank == 0) {
      const std::function<void()> call = [&] { wrong.call(handlers.comm); };
      CHECK(is_left(call, exit));
    }
    check_round(handlers.comm);
    check_round(MPI_COMM_WORLD);
  });
}

TEST_CASE("Where a reduction of the user's leaves the call, no other rank waits for it") {
  const auto exit = GENERATE(Exit::jump, Exit::exception);
  const Leaving handlers; // without handlers in the program, the library expects no jumps
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); // never freed: its ranks no longer agree on it
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  // The function always runs at the last rank, whatever the algorithm.
  const auto leaves_at_last_rank = [](void* in, void* inout, int* count, MPI_Datatype*) {
    int self = 0;
    int all = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &self);
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (self == all - 1) {
      if (way_out == Exit::exception) throw Left{};
      std::longjmp(back, 1);
    }
    for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
  };
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(leaves_at_last_rank, 1, &op);
  Helpers helpers;
  helpers.phase([&] {
    check_round(comm);
    std::vector<int> in(50000, 1);
    std::vector<int> out(in.size());
    const std::function<void()> call = [&] {
      MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), MPI_INT, op, comm);
    };
    CHECK(is_left(call, exit) == (rank == ranks - 1));
    check_round(MPI_COMM_WORLD);
  });
  MPI_Op_free(&op);
}

TEST_CASE("Where a leader leaves a hybrid operation, its team learns that it has failed") {
  if (team_size() == 0) return;
  constexpr int no_rank = 99;
  const Leaving handlers;
  const auto broadcast = [&](MPI_Helper_team team, int root) {
    int value = 0;
    return MPIX_Helper_bcast(team, &value, 1, MPI_INT, root, handlers.comm);
  };
  int code = MPI_SUCCESS;
  std::thread other([&] {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(1, 2, &team);
    MPI_Helper_join(team);
    code = broadcast(team, no_rank);
    broadcast(team, 0);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  });
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(1, 2, &team);
  MPI_Helper_join(team);
  const std::function<void()> call = [&] { broadcast(team, no_rank); };
  CHECK(is_left(call, Exit::jump));
  CHECK(broadcast(team, 0) == MPI_SUCCESS);
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  other.join();
  CHECK((code != MPI_SUCCESS || is_mpich_5_0()));
}
