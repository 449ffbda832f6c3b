// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "message/message.hpp"
#include "message/requests.hpp"
#include "ranks/thread_level.hpp"
#include "shm/traffic.hpp"
#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"
#include "team/detours.hpp"
#include "team/pause.hpp"

// The library counts what MPI must progress while a process waits for something else, whatever functions
// start and complete it. A barrier through shared memory hides nothing that was sent before.

namespace {

using helper::shm::traffic::under_way;

int polls = 0;

// How often this thread has called operator new.
thread_local constinit std::uint64_t allocations = 0;

std::array<int, 64> source{};
std::array<int, 64> target{};
std::array<int, 2> counts{1, 1};
std::array<int, 2> places{0, 1};
std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
std::array<int, 2> offsets{0, 4};
std::array<MPI_Aint, 2> bytes{0, 4};

/// Starts a request that all ranks start and complete.
using Begin = std::function<void(MPI_Comm, MPI_Request*)>;
struct Case {
  const char* name;
  Begin begin;
};

int* in() {
  return source.data();
}
int* out() {
  return target.data();
}

template <auto function>
void move(MPI_Comm comm, MPI_Request* request) {
  function(in(), 1, MPI_INT, out(), 1, MPI_INT, comm, request);
}
template <auto function>
void gather_counts(MPI_Comm comm, MPI_Request* request) {
  function(in(), 1, MPI_INT, out(), counts.data(), places.data(), MPI_INT, comm, request);
}
template <auto function>
void move_counts(MPI_Comm comm, MPI_Request* request) {
  function(in(), counts.data(), places.data(), MPI_INT, out(), counts.data(), places.data(), MPI_INT, comm,
           request);
}
template <auto function, auto& displacements>
void move_types(MPI_Comm comm, MPI_Request* request) {
  function(in(), counts.data(), displacements.data(), types.data(), out(), counts.data(),
           displacements.data(), types.data(), comm, request);
}
template <auto function>
void reduce(MPI_Comm comm, MPI_Request* request) {
  function(in(), out(), 1, MPI_INT, MPI_SUM, comm, request);
}

const std::vector<Case> collectives = {
    {"Ibarrier", MPI_Ibarrier},
    {"Ibcast", [](MPI_Comm c, MPI_Request* r) { MPI_Ibcast(in(), 1, MPI_INT, 0, c, r); }},
    {"Igather",
     [](MPI_Comm c, MPI_Request* r) { MPI_Igather(in(), 1, MPI_INT, out(), 1, MPI_INT, 0, c, r); }},
    {"Igatherv",
     [](MPI_Comm c, MPI_Request* r) {
       MPI_Igatherv(in(), 1, MPI_INT, out(), counts.data(), places.data(), MPI_INT, 0, c, r);
     }},
    {"Iscatter",
     [](MPI_Comm c, MPI_Request* r) { MPI_Iscatter(in(), 1, MPI_INT, out(), 1, MPI_INT, 0, c, r); }},
    {"Iscatterv",
     [](MPI_Comm c, MPI_Request* r) {
       MPI_Iscatterv(in(), counts.data(), places.data(), MPI_INT, out(), 1, MPI_INT, 0, c, r);
     }},
    {"Iallgather", move<MPI_Iallgather>},
    {"Iallgatherv", gather_counts<MPI_Iallgatherv>},
    {"Ialltoall", move<MPI_Ialltoall>},
    {"Ialltoallv", move_counts<MPI_Ialltoallv>},
    {"Ialltoallw", move_types<MPI_Ialltoallw, offsets>},
    {"Ireduce", [](MPI_Comm c, MPI_Request* r) { MPI_Ireduce(in(), out(), 1, MPI_INT, MPI_SUM, 0, c, r); }},
    {"Iallreduce", reduce<MPI_Iallreduce>},
    {"Ireduce_scatter",
     [](MPI_Comm c, MPI_Request* r) {
       MPI_Ireduce_scatter(in(), out(), counts.data(), MPI_INT, MPI_SUM, c, r);
     }},
    {"Ireduce_scatter_block", reduce<MPI_Ireduce_scatter_block>},
    {"Iscan", reduce<MPI_Iscan>},
    {"Iexscan", reduce<MPI_Iexscan>},
    {"Ineighbor_allgather", move<MPI_Ineighbor_allgather>},
    {"Ineighbor_allgatherv", gather_counts<MPI_Ineighbor_allgatherv>},
    {"Ineighbor_alltoall", move<MPI_Ineighbor_alltoall>},
    {"Ineighbor_alltoallv", move_counts<MPI_Ineighbor_alltoallv>},
    {"Ineighbor_alltoallw", move_types<MPI_Ineighbor_alltoallw, bytes>},
};

int peer() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return 1 - rank;
}

/// Starts an exchange with the other rank, and returns its requests.
using Exchange = std::function<std::vector<MPI_Request>()>;

template <class Send>
Exchange exchange_by(Send send) {
  return [send] {
    std::vector<MPI_Request> requests(2);
    MPI_Irecv(out(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD); // a ready send needs a receive
    send(in(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &requests[1]);
    return requests;
  };
}

/// Ints with gaps.
struct Scattered : test_support::Holder<MPI_Datatype> {
  explicit Scattered(int ints) {
    MPI_Type_vector(ints, 1, 2, MPI_INT, &handle_);
    MPI_Type_commit(&handle_);
  }
  ~Scattered() { MPI_Type_free(&handle_); }
};

template <class Body>
void perhaps_in_phase(test_support::Helpers& helpers, bool in_phase, const Body& body) {
  if (in_phase)
    helpers.phase(body);
  else
    body();
}

/// Completes all requests with MPI_Waitsome or MPI_Testsome.
template <auto function>
void complete_some(std::vector<MPI_Request>& all) {
  std::vector<int> indices(all.size());
  int some = 0;
  while (some != MPI_UNDEFINED)
    function(static_cast<int>(all.size()), all.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
}

/// The functions that complete requests, each with a way to complete all.
const std::vector<std::pair<const char*, std::function<void(std::vector<MPI_Request>&)>>> completions = {
    {"Wait",
     [](std::vector<MPI_Request>& all) {
       for (MPI_Request& one : all) MPI_Wait(&one, MPI_STATUS_IGNORE);
     }},
    {"Waitall",
     [](std::vector<MPI_Request>& all) {
       MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
     }},
    {"Waitany",
     [](std::vector<MPI_Request>& all) {
       int index = 0;
       while (index != MPI_UNDEFINED)
         MPI_Waitany(static_cast<int>(all.size()), all.data(), &index, MPI_STATUS_IGNORE);
     }},
    {"Waitsome", complete_some<MPI_Waitsome>},
    {"Test",
     [](std::vector<MPI_Request>& all) {
       for (MPI_Request& one : all) {
         for (int done = 0; done == 0;) MPI_Test(&one, &done, MPI_STATUS_IGNORE);
       }
     }},
    {"Testall",
     [](std::vector<MPI_Request>& all) {
       for (int done = 0; done == 0;)
         MPI_Testall(static_cast<int>(all.size()), all.data(), &done, MPI_STATUSES_IGNORE);
     }},
    {"Testany",
     [](std::vector<MPI_Request>& all) {
       int index = 0;
       for (int done = 0; done == 0 || index != MPI_UNDEFINED;)
         MPI_Testany(static_cast<int>(all.size()), all.data(), &index, &done, MPI_STATUS_IGNORE);
     }},
    {"Testsome", complete_some<MPI_Testsome>},
};

MPI_Win make_window() {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(out(), sizeof target, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  return window;
}

MPI_File open_file() {
  auto process = static_cast<long>(getpid());
  MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  const std::string name =
      std::filesystem::temp_directory_path() / ("mpi_helper_traffic." + std::to_string(process));
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  return file;
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

/// Counts how often the library polls MPI.
extern "C" int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  static const auto real = reinterpret_cast<decltype(&PMPI_Iprobe)>(dlsym(RTLD_NEXT, "PMPI_Iprobe"));
  ++polls;
  return real(from, tag, comm, flag, status);
}

#if MPI_VERSION >= 4 // earlier versions lack this function

namespace {
bool hides_failures = false;
} // namespace

/// Returns MPI_SUCCESS without a request if hides_failures is set, like some MPIs after an error.
extern "C" int PMPI_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  static const auto real = reinterpret_cast<decltype(&PMPI_Irecv_c)>(dlsym(RTLD_NEXT, "PMPI_Irecv_c"));
  return hides_failures ? MPI_SUCCESS : real(buffer, count, type, from, tag, comm, request);
}
extern "C" int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  static const auto real = reinterpret_cast<decltype(&PMPI_Irecv)>(dlsym(RTLD_NEXT, "PMPI_Irecv"));
  return hides_failures ? MPI_SUCCESS : real(buffer, count, type, from, tag, comm, request);
}

#endif

TEST_CASE("MPI catches up when a test finds nothing, and not after each operation that passes it by") {
  constexpr int messages = 20;
  for (int i = 0; i < messages; ++i)
    MPI_Sendrecv(in(), 1, MPI_INT, peer(), 0, out(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Request pending = MPI_REQUEST_NULL;
  MPI_Irecv(out(), 1, MPI_INT, peer(), 1, MPI_COMM_WORLD, &pending);
  polls = 0;
  helper::shm::traffic::went_past_mpi();
  CHECK(polls == 1);
  CHECK(helper::shm::traffic::is_behind());
  int done = 1;
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
  CHECK(done == 0);
  CHECK(polls > messages);
  CHECK_FALSE(helper::shm::traffic::is_behind());
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(in(), 1, MPI_INT, peer(), 1, MPI_COMM_WORLD);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
}

TEST_CASE("What others may wait for is sought among what is under way, not among all receives") {
  constexpr std::size_t messages = 50;
  const Scattered scattered(5000);
  test_support::Helpers helpers;
  helpers.phase([&] {
    std::vector<std::array<int, 10000>> data(2 * messages);
    std::vector<MPI_Request> requests(2 * messages);
    for (std::size_t i = 0; i < messages; ++i)
      MPI_Irecv(data[i].data(), 1, scattered, peer(), static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
    CHECK(helper::message::requests::any());
    const auto before = helper::message::requests::visited();
    helper::message::rescue();
    CHECK_FALSE(helper::message::requests::under_way());
    CHECK_FALSE(helper::message::requests::own_under_way());
    CHECK(helper::message::requests::visited() == before);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = messages; i < 2 * messages; ++i) {
      data[i].fill(static_cast<int>(i));
      MPI_Isend(data[i].data(), 1, scattered, peer(), static_cast<int>(i - messages), MPI_COMM_WORLD,
                &requests[i]);
    }
    MPI_Waitall(2 * messages, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < messages; ++i) CHECK(data[i][9998] == static_cast<int>(messages + i));
  });
}

TEST_CASE("Tests that find nothing allocate nothing") {
  constexpr int messages = 8;
  test_support::Helpers helpers;
  helpers.phase([&] {
    std::array<std::array<int, 2500>, messages> data{};
    std::array<MPI_Request, messages> requests{};
    for (std::size_t i = 0; i < messages; ++i) // every second one has an operation of the library
      MPI_Irecv(data[i].data(), i % 2 == 0 ? 2500 : 256, MPI_INT, peer(), static_cast<int>(i), MPI_COMM_WORLD,
                &requests[i]);
    CHECK(helper::message::requests::any());
    std::array<int, messages> indices{};
    int flag = 0;
    int index = 0;
    int completed = 0;
    const std::uint64_t before = allocations;
    MPI_Test(requests.data(), &flag, MPI_STATUS_IGNORE);
    MPI_Testany(messages, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testall(messages, requests.data(), &flag, MPI_STATUSES_IGNORE);
    MPI_Testsome(messages, requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE);
    CHECK(allocations == before);
    CHECK(completed == 0);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < messages; ++i) MPI_Send(in(), 64, MPI_INT, peer(), i, MPI_COMM_WORLD);
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  });
}

TEST_CASE("Calls take a detour only while a request stands for more than MPI sees") {
  if (helper::ranks::thread_level() == MPI_THREAD_MULTIPLE || helper::team::Oversubscription::by_processes())
    return; // then calls always take the detour
  using helper::team::detours::any;
  MPI_Datatype scattered = MPI_DATATYPE_NULL;
  MPI_Type_vector(5000, 1, 2, MPI_INT, &scattered);
  MPI_Type_commit(&scattered);
  std::vector<int> data(10000);
  const std::vector<int> sent(10000);
  test_support::Helpers helpers;
  for (const bool in_phase : {false, true}) {
    const auto body = [&] {
      std::array<MPI_Request, 2> requests{};
      MPI_Irecv(in(), 64, MPI_INT, peer(), 1, MPI_COMM_WORLD, requests.data());
      CHECK_FALSE(any());
      MPI_Irecv(data.data(), 1, scattered, peer(), 0, MPI_COMM_WORLD, &requests[1]);
      CHECK(any());
      PMPI_Barrier(MPI_COMM_WORLD);
      MPI_Send(sent.data(), 1, scattered, peer(), 0, MPI_COMM_WORLD);
      MPI_Send(out(), 64, MPI_INT, peer(), 1, MPI_COMM_WORLD);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      CHECK_FALSE(any());
    };
    in_phase ? helpers.phase(body) : body();
  }
  MPI_Type_free(&scattered);
}

TEST_CASE("Announced messages of which MPI completes several receives at once all arrive") {
  constexpr int messages = 50;
  const Scattered scattered(5000);
  test_support::Helpers helpers;
  helpers.phase([&] {
    std::vector<std::array<int, 10000>> data(2 * messages);
    std::vector<MPI_Request> sends(messages);
    std::vector<MPI_Request> receives(messages);
    for (std::size_t i = 0; i < messages; ++i)
      MPI_Irecv(data[i].data(), 1, scattered, peer(), static_cast<int>(i), MPI_COMM_WORLD, &receives[i]);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < messages; ++i) {
      data[messages + i].fill(static_cast<int>(i));
      MPI_Isend(data[messages + i].data(), 1, scattered, peer(), static_cast<int>(i), MPI_COMM_WORLD,
                &sends[i]);
    }
    PMPI_Barrier(MPI_COMM_WORLD); // all announcements have arrived
    std::array<int, messages> indices{};
    for (int left = messages; left > 0;) {
      int completed = 0;
      MPI_Waitsome(messages, receives.data(), &completed, indices.data(), MPI_STATUSES_IGNORE);
      left -= completed;
    }
    for (std::size_t i = 0; i < messages; ++i) CHECK(data[i][9998] == static_cast<int>(i));
    MPI_Waitall(messages, sends.data(), MPI_STATUSES_IGNORE);
  });
}

TEST_CASE("Requests of collective operations are counted until they are complete") {
  const int size = 2;
  const int is_periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL; // both neighbours of each rank are the other rank
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring);
  for (const Case& each : collectives) {
    INFO(each.name);
    REQUIRE_FALSE(under_way());
    MPI_Request request = MPI_REQUEST_NULL;
    each.begin(ring, &request);
    CHECK(under_way());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_FALSE(under_way());
  }
  PMPI_Comm_free(&ring);
}

TEST_CASE(
    "Requests are counted until they are complete, in a phase and outside, however they are completed") {
  const std::vector<std::pair<const char*, Exchange>> exchanges = {{"Isend", exchange_by(MPI_Isend)},
                                                                   {"Issend", exchange_by(MPI_Issend)},
                                                                   {"Irsend", exchange_by(MPI_Irsend)}};
  test_support::Helpers helpers;
  for (const bool in_phase : {false, true}) {
    for (const auto& [sent, exchange] : exchanges) {
      for (const auto& [completed, complete] : completions) {
        const auto body = [&begin = exchange, &end = complete, name = std::string(sent) + ", " + completed] {
          INFO(name);
          REQUIRE_FALSE(under_way());
          std::vector<MPI_Request> requests = begin();
          CHECK(under_way());
          end(requests);
          CHECK_FALSE(under_way());
        };
        perhaps_in_phase(helpers, in_phase, body);
      }
    }
  }
}

TEST_CASE("Windows, files and attached buffers are counted until they are freed, with their requests") {
  REQUIRE_FALSE(under_way());
  MPI_Win window = make_window();
  CHECK(under_way());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_lock_all(0, window);
  MPI_Rput(in(), 1, MPI_INT, peer(), 0, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rget(out(), 1, MPI_INT, peer(), 0, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  CHECK(under_way());
  MPI_Win_free(&window);
  CHECK_FALSE(under_way());

  MPI_File file = open_file();
  REQUIRE(file != MPI_FILE_NULL);
  CHECK(under_way());
  MPI_File_iwrite_at(file, 0, in(), 1, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(under_way());
  MPI_File_close(&file);
  CHECK_FALSE(under_way());

  std::vector<char> buffer(1024 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  CHECK(under_way());
  MPI_Bsend(in(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD);
  MPI_Recv(out(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
  CHECK_FALSE(under_way());
}

TEST_CASE("Persistent requests are counted until they are freed, in a phase and outside") {
  using Init = std::function<void(MPI_Request*)>;
  std::vector<std::array<Init, 2>> exchanges; // both requests of a pair are started together
  const auto receive = [](MPI_Request* r) { MPI_Recv_init(out(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, r); };
  const Scattered scattered(4);
  const auto receive_scattered = [&](MPI_Request* r) {
    MPI_Recv_init(out(), 1, scattered, peer(), 0, MPI_COMM_WORLD, r);
  };
  exchanges.push_back(
      {receive, [](MPI_Request* r) { MPI_Send_init(in(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, r); }});
  exchanges.push_back(
      {receive, [](MPI_Request* r) { MPI_Ssend_init(in(), 1, MPI_INT, peer(), 0, MPI_COMM_WORLD, r); }});
  exchanges.push_back({receive_scattered, [&](MPI_Request* r) {
                         MPI_Send_init(in(), 1, scattered, peer(), 0, MPI_COMM_WORLD, r);
                       }});
#if MPI_VERSION >= 4
  const auto scan = [](MPI_Request* r) {
    MPI_Scan_init(in(), out(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r);
  };
  const auto allreduce = [](MPI_Request* r) {
    MPI_Allreduce_init(in(), out(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r);
  };
  exchanges.push_back({scan, allreduce});
  const auto bcast = [](MPI_Request* r) {
    MPI_Bcast_init(out(), 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r);
  };
  exchanges.push_back({bcast, allreduce});
  const auto barrier = [](MPI_Request* r) { MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, r); };
  const auto alltoallv = [](MPI_Request* r) {
    MPI_Alltoallv_init(in(), counts.data(), places.data(), MPI_INT, out(), counts.data(), places.data(),
                       MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, r);
  };
  exchanges.push_back({barrier, alltoallv});
#endif
  test_support::Helpers helpers;
  for (const bool in_phase : {false, true}) {
    for (const auto& exchange : exchanges) {
      for (const bool is_started : {false, true}) {
        const auto body = [&] {
          REQUIRE_FALSE(under_way());
          std::array<MPI_Request, 2> requests{};
          for (std::size_t i = 0; i < requests.size(); ++i) exchange[i](&requests[i]);
          CHECK(under_way());
          if (is_started) {
            MPI_Startall(2, requests.data());
            MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
            CHECK(under_way());
          }
          for (MPI_Request& request : requests) MPI_Request_free(&request);
          CHECK_FALSE(under_way());
        };
        perhaps_in_phase(helpers, in_phase, body);
      }
    }
  }
}

TEST_CASE("Requests that are freed are counted until they are over") {
  const Scattered scattered(5000);
  const auto exchange = [&](int count, MPI_Datatype type) {
    REQUIRE_FALSE(under_way());
    std::array<std::array<int, 10000>, 2> data{};
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Irecv(data[0].data(), count, type, peer(), 0, MPI_COMM_WORLD, &receive);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(data[1].data(), count, type, peer(), 0, MPI_COMM_WORLD, &send);
    int is_over = 0; // waits for a small one before it is freed
    while (count == 1 && type == MPI_INT && is_over == 0)
      MPI_Request_get_status(send, &is_over, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    CHECK(send == MPI_REQUEST_NULL);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i) MPI_Barrier(MPI_COMM_WORLD); // until the sender sees the end
    CHECK_FALSE(under_way());
  };
  test_support::Helpers helpers;
  exchange(1, MPI_INT);
  helpers.phase([&] { exchange(1, MPI_INT); });
  helpers.phase([&] { exchange(1, scattered); });
}

TEST_CASE("What was not begun is not counted") {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  const auto refused = [&](int code) {
    CHECK(code != MPI_SUCCESS);
    CHECK_FALSE(under_way());
  };
  refused(MPI_Irecv(out(), -1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &request));
  refused(MPI_Ibcast(out(), -1, MPI_INT, 0, MPI_COMM_WORLD, &request));
  refused(MPI_Ibsend(in(), -1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &request));
  refused(MPI_Ibarrier(MPI_COMM_NULL, &request));
  refused(MPI_Comm_idup(MPI_COMM_NULL, &copy, &request));
#ifndef MPI_ABI_VERSION // the ABI library of MPICH crashes
  refused(MPI_File_iread_at(MPI_FILE_NULL, 0, out(), 1, MPI_INT, &request));
#endif
  refused(MPI_Rput(in(), 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL, &request));
  refused(MPI_Bsend_init(in(), -1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &request));
#if MPI_VERSION >= 4
  refused(MPI_Barrier_init(MPI_COMM_NULL, MPI_INFO_NULL, &request));
#endif
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE); // tests no request
  CHECK_FALSE(under_way());
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

#if MPI_VERSION >= 4

TEST_CASE("A receive that failed, of which MPI returns MPI_SUCCESS, has no operation") {
  test_support::Helpers helpers;
  std::array<int, 10000> data{};
  helpers.phase([&] {
    for (const int count : {64, 10000}) {
      MPI_Request request = MPI_REQUEST_NULL;
      hides_failures = true;
      MPI_Irecv(data.data(), count, MPI_INT, peer(), 0, MPI_COMM_WORLD, &request);
      hides_failures = false;
      CHECK(request == MPI_REQUEST_NULL);
      CHECK_FALSE(helper::message::requests::any());
      CHECK_FALSE(under_way());
    }
  });
}

#endif

namespace {

struct Left {};
void leave(MPI_Comm*, int*, ...) {
  throw Left{};
}

} // namespace

// The last test, because from now on the library expects that exceptions leave calls.
TEST_CASE("What an error handler leaves by an exception is not counted") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_THROWS_AS(MPI_Irecv(out(), -1, MPI_INT, peer(), 0, MPI_COMM_WORLD, &request), Left);
  CHECK((!under_way() || test_support::is_mpich_5_0()));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}
