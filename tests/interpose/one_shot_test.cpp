// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <array>
#include <functional>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"

// Rank 0 sends a message between two barriers. Rank 1 tests for it once after the second one, and must find
// it as often as with native barriers. The library's barriers use shared memory and could overtake messages.

namespace {

constexpr int rounds = 20;
constexpr int before = 40; // messages sent before the one that is tested for

using Barrier = int (*)(MPI_Comm);
int rank = 0;
std::array<int, 1000> data{};
MPI_Request request = MPI_REQUEST_NULL;

/// How rank 0 sends, and how rank 1 tests for the message. Rank 1 calls `prepare` before the barriers, then
/// `test` until it returns true, and then `finish`.
struct Way {
  const char* name;
  std::function<void()> prepare;
  std::function<void()> send;
  std::function<bool()> test;
  std::function<void()> finish;
};

void nothing() {}

void send_many() {
  for (int i = 0; i < before; ++i) MPI_Send(data.data(), 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Send(data.data(), 100, MPI_INT, 1, 7, MPI_COMM_WORLD);
}
void receive_many() {
  for (int i = 0; i < before; ++i) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void post() {
  MPI_Irecv(data.data(), 100, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
}
void receive() {
  MPI_Recv(data.data(), 100, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  receive_many();
}

std::vector<Way> messages() {
  const auto probe = [] {
    int found = 0;
    MPI_Iprobe(0, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return found != 0;
  };
  static MPI_Message matched = MPI_MESSAGE_NULL;
  const auto improbe = [] {
    int found = 0;
    MPI_Improbe(0, 7, MPI_COMM_WORLD, &found, &matched, MPI_STATUS_IGNORE);
    return found != 0;
  };
  const auto mrecv = [] {
    MPI_Mrecv(data.data(), 100, MPI_INT, &matched, MPI_STATUS_IGNORE);
    receive_many();
  };
  const auto test = [] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  const auto testall = [] {
    int done = 0;
    MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
    return done != 0;
  };
  const auto testany = [] {
    int done = 0;
    int index = 0;
    MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  const auto testsome = [] {
    int done = 0;
    int index = 0;
    MPI_Testsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
    return done != 0;
  };
  const auto get_status = [] {
    int done = 0;
    MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  const auto wait = [] {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_many();
  };
  return {{"MPI_Iprobe", nothing, send_many, probe, receive},
          {"MPI_Improbe", nothing, send_many, improbe, mrecv},
          {"MPI_Test", post, send_many, test, receive_many},
          {"MPI_Testall", post, send_many, testall, receive_many},
          {"MPI_Testany", post, send_many, testany, receive_many},
          {"MPI_Testsome", post, send_many, testsome, receive_many},
          {"MPI_Request_get_status", post, send_many, get_status, wait}};
}

#if MPI_VERSION >= 4
/// A partitioned message that rank 0 marks as ready between the barriers.
Way partitioned() {
  const auto prepare = [] {
    MPI_Precv_init(data.data(), 1, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  };
  const auto send = [] {
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Psend_init(data.data(), 1, 10, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &sent);
    MPI_Start(&sent);
    MPI_Pready(0, sent);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Request_free(&sent);
  };
  const auto test = [] {
    int arrived = 0;
    MPI_Parrived(request, 0, &arrived);
    return arrived != 0;
  };
  const auto finish = [] {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  };
  return {"MPI_Parrived", prepare, send, test, finish};
}
#endif

/// Returns in how many rounds the first test of rank 1 finds the message.
int count_shown(const Way& way, Barrier barrier) {
  int shown = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 1) way.prepare();
    barrier(MPI_COMM_WORLD);
    if (rank == 0) way.send();
    barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      bool is_there = way.test();
      if (is_there) ++shown;
      while (!is_there) is_there = way.test();
      way.finish();
    }
    barrier(MPI_COMM_WORLD);
  }
  return shown;
}

/// Returns in how many rounds the first MPI_Win_test of rank 1 finds that rank 0 has completed its access.
int count_win_tests(Barrier barrier) {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group other = MPI_GROUP_NULL;
  MPI_Win_create(data.data(), sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_group(window, &all);
  const int peer = 1 - rank;
  MPI_Group_incl(all, 1, &peer, &other);
  const auto test = [&] {
    int done = 0;
    MPI_Win_test(window, &done);
    return done != 0;
  };
  const int shown = count_shown({"MPI_Win_test", [&] { MPI_Win_post(other, 0, window); },
                                 [&] {
                                   MPI_Win_start(other, 0, window);
                                   MPI_Win_complete(window);
                                 },
                                 test, nothing},
                                barrier);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  return shown;
}

} // namespace

TEST_CASE("A single test shows after a barrier what it shows natively") {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test_support::Helpers helpers;
  std::vector<Way> ways = messages();
#if MPI_VERSION >= 4
  ways.push_back(partitioned());
#endif
  for (const Way& way : ways) {
    INFO(way.name);
    const int natively = count_shown(way, PMPI_Barrier);
    int here = 0;
    helpers.phase([&] { here = count_shown(way, MPI_Barrier); });
    CHECK(here >= natively);
  }
  const int natively = count_win_tests(PMPI_Barrier);
  int here = 0;
  helpers.phase([&] { here = count_win_tests(MPI_Barrier); });
  CHECK(here >= natively);
}

TEST_CASE("This MPI has no events, which would have to be shown, too") {
#if MPI_VERSION >= 4
  if (test_support::is_open_mpi()) return; // version 6 has events
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  int events = -1;
  MPI_T_event_get_num(&events);
  CHECK(events == 0);
  MPI_T_finalize();
#endif
}
