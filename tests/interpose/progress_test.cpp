// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>
#include <mpi_helper.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"

// MPI makes progress while a rank waits, whatever it waits for, because other ranks may need that. Each cell
// of a table combines a way in which rank 0 waits with something that rank 1 needs from rank 0. Rank 1 needs
// it before it does its part of what rank 0 waits for.

namespace {

constexpr int many = 20000;       // doubles in a reduction
constexpr int large = 1 << 20;    // bytes in a message
constexpr unsigned patience = 20; // seconds after which a cell counts as hung

/// The data of all cells.
struct Data {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm ring = MPI_COMM_NULL; // both neighbours of each rank are the other rank
  MPI_Datatype scattered = MPI_DATATYPE_NULL;
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::vector<double> in = std::vector<double>(many, 1.0);
  std::vector<double> out = std::vector<double>(many);
  std::vector<char> sent = std::vector<char>(2 * large);     // of the operation that rank 1 needs
  std::vector<char> received = std::vector<char>(2 * large); // of the operation that rank 1 needs
  std::vector<char> message = std::vector<char>(2 * large);  // the message that rank 0 waits for
};

Data& data() {
  static Data all;
  return all;
}

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void complete(MPI_Request& request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// An operation that both ranks begin, and that rank 1 cannot complete without rank 0.
struct Need {
  std::string name;
  std::function<void(MPI_Request&)> begin;
  std::function<void(MPI_Request&)> end = complete; ///< rank 1 calls it before the wait, rank 0 after it
  std::function<void()> free = [] {};
};

/// Returns the need of a message from `sender` to the other rank.
template <auto Send>
Need message(const char* name, int sender, int bytes) {
  return {name, [=](MPI_Request& request) {
            if (own_rank() == sender)
              Send(data().sent.data(), bytes, MPI_BYTE, 1 - sender, 7, data().comm, &request);
            else
              MPI_Irecv(data().received.data(), bytes, MPI_BYTE, sender, 7, data().comm, &request);
          }};
}

/// Returns the need of an access of rank 1 to the window of rank 0, which `access` starts.
Need access(const char* name, std::function<void(MPI_Request*)> access) {
  return {name,
          [](MPI_Request&) {
            void* memory = nullptr;
            MPI_Win_allocate(large, 1, MPI_INFO_NULL, data().comm, static_cast<void*>(&memory),
                             &data().window);
            MPI_Barrier(data().comm);
          },
          [access = std::move(access)](MPI_Request& request) {
            if (own_rank() == 0) return;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, data().window);
            access(&request);
            MPI_Win_unlock(0, data().window);
          },
          [] { MPI_Win_free(&data().window); }};
}

const std::vector<Need> needs{
    {"MPI_Ibcast",
     [](MPI_Request& request) { MPI_Ibcast(data().sent.data(), large, MPI_BYTE, 1, data().comm, &request); }},
    {"MPI_Ibarrier", [](MPI_Request& request) { MPI_Ibarrier(data().comm, &request); }},
    {"MPI_Ialltoallv",
     [](MPI_Request& request) {
       static const std::array<int, 2> counts{large, large};
       static const std::array<int, 2> places{0, large};
       MPI_Ialltoallv(data().sent.data(), counts.data(), places.data(), MPI_BYTE, data().received.data(),
                      counts.data(), places.data(), MPI_BYTE, data().comm, &request);
     }},
    {"MPIX_Sysgroup_iallreduce",
     [](MPI_Request& request) {
       MPIX_Sysgroup_iallreduce(data().sent.data(), data().received.data(), many, MPI_CHAR, MPI_MAX,
                                data().group, &request);
     }},
    message<MPI_Isend>("MPI_Isend", 1, large),
    message<MPI_Issend>("MPI_Issend", 1, 1),
    message<MPI_Isend>("MPI_Irecv", 0, large),
    access("MPI_Win_lock",
           [](MPI_Request*) {
             MPI_Accumulate(data().in.data(), many, MPI_DOUBLE, 0, 0, many, MPI_DOUBLE, MPI_SUM,
                            data().window);
           }),
    access("MPI_Rget_accumulate",
           [](MPI_Request* request) {
             MPI_Rget_accumulate(data().in.data(), many, MPI_DOUBLE, data().received.data(), many, MPI_DOUBLE,
                                 0, 0, many, MPI_DOUBLE, MPI_SUM, data().window, request);
             MPI_Wait(request, MPI_STATUS_IGNORE);
           }),
};

/// A way to complete one request. Each function that completes requests has one.
struct Completion {
  std::string name;
  std::function<void(MPI_Request&)> call;
};

/// Completes `request`, after a null request in an array of two. Calls `complete(requests, &index)` until it
/// returns the index of the request.
template <class Complete>
void complete_one_of_two(MPI_Request& request, const Complete& complete) {
  std::array<MPI_Request, 2> two{MPI_REQUEST_NULL, request};
  for (int index = MPI_UNDEFINED; index != 1;) complete(two.data(), &index);
  request = two[1];
}

/// Completes `request` with MPI_Waitsome or MPI_Testsome, in an array of two.
template <auto function>
void complete_some(MPI_Request& request) {
  complete_one_of_two(request, [](MPI_Request* two, int* index) {
    int some = 0;
    function(2, two, &some, index, MPI_STATUSES_IGNORE);
  });
}

const std::vector<Completion> completions{
    {"MPI_Wait", complete},
    {"MPI_Waitall",
     [](MPI_Request& request) {
       complete_one_of_two(request, [](MPI_Request* two, int* index) {
         MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
         *index = 1;
       });
     }},
    {"MPI_Waitany",
     [](MPI_Request& request) {
       complete_one_of_two(
           request, [](MPI_Request* two, int* index) { MPI_Waitany(2, two, index, MPI_STATUS_IGNORE); });
     }},
    {"MPI_Waitsome", complete_some<MPI_Waitsome>},
    {"MPI_Test",
     [](MPI_Request& request) {
       for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
     }},
    {"MPI_Testall",
     [](MPI_Request& request) {
       complete_one_of_two(request, [](MPI_Request* two, int* index) {
         int done = 0;
         MPI_Testall(2, two, &done, MPI_STATUSES_IGNORE);
         if (done != 0) *index = 1;
       });
     }},
    {"MPI_Testany",
     [](MPI_Request& request) {
       complete_one_of_two(request, [](MPI_Request* two, int* index) {
         int done = 0;
         MPI_Testany(2, two, index, &done, MPI_STATUS_IGNORE);
       });
     }},
    {"MPI_Testsome", complete_some<MPI_Testsome>},
    {"MPI_Request_get_status",
     [](MPI_Request& request) {
       for (int done = 0; done == 0;) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
       complete(request);
     }},
};

/// Something that rank 0 waits for. Both ranks call it.
struct Wait {
  std::string name;
  std::function<void()> call;
};

void check_sums() {
  CHECK(std::ranges::all_of(data().out, [](double sum) { return sum == 2.0; }));
  std::ranges::fill(data().out, 0.0);
}

/// Adds a wait for each way to complete the request that `begin` starts. Rank 1 may start none.
void add_requests(std::vector<Wait>& all, const std::string& name,
                  const std::function<void(MPI_Request*)>& begin) {
  for (const Completion& completion : completions) {
    all.push_back({completion.name + " for " + name, [&completion, begin] {
                     MPI_Request request = MPI_REQUEST_NULL;
                     begin(&request);
                     if (request != MPI_REQUEST_NULL) completion.call(request);
                     if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
                   }});
  }
}

/// Adds waits for announced messages between the ranks.
void add_messages(std::vector<Wait>& all) {
  const auto send = [] {
    MPI_Send(data().message.data(), 1, data().scattered, 1 - own_rank(), 9, data().comm);
  };
  const auto receive = [] {
    MPI_Recv(data().message.data(), 1, data().scattered, 1 - own_rank(), 9, data().comm, MPI_STATUS_IGNORE);
  };
  const auto as = [](int rank, const auto& one, const auto& other) {
    return [=] { own_rank() == rank ? one() : other(); };
  };
  all.push_back({"MPI_Send", as(0, send, receive)});
  all.push_back({"MPI_Recv", as(0, receive, send)});
  all.push_back({"MPI_Sendrecv", [] {
                   MPI_Sendrecv(data().message.data(), 1, data().scattered, 1 - own_rank(), 9,
                                data().received.data(), 1, data().scattered, 1 - own_rank(), 9, data().comm,
                                MPI_STATUS_IGNORE);
                 }});
  const auto probe = [receive] {
    MPI_Probe(1, 9, data().comm, MPI_STATUS_IGNORE);
    receive();
  };
  const auto iprobe = [receive] {
    for (int found = 0; found == 0;) MPI_Iprobe(1, 9, data().comm, &found, MPI_STATUS_IGNORE);
    receive();
  };
  const auto mprobe = [] {
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Mprobe(1, 9, data().comm, &matched, MPI_STATUS_IGNORE);
    MPI_Mrecv(data().message.data(), 1, data().scattered, &matched, MPI_STATUS_IGNORE);
  };
  all.push_back({"MPI_Probe", as(0, probe, send)});
  all.push_back({"MPI_Iprobe", as(0, iprobe, send)});
  all.push_back({"MPI_Mprobe", as(0, mprobe, send)});
  add_requests(all, "MPI_Isend", [receive](MPI_Request* request) {
    if (own_rank() == 0)
      MPI_Isend(data().message.data(), 1, data().scattered, 1, 9, data().comm, request);
    else
      receive();
  });
}

std::vector<Wait> all_waits() {
  std::vector<Wait> all;
  add_requests(all, "MPI_Iallreduce", [](MPI_Request* request) {
    MPI_Iallreduce(data().in.data(), data().out.data(), many, MPI_DOUBLE, MPI_SUM, data().comm, request);
  });
#if MPI_VERSION >= 4
  add_requests(all, "MPI_Allreduce_init", [](MPI_Request* request) {
    MPI_Allreduce_init(data().in.data(), data().out.data(), many, MPI_DOUBLE, MPI_SUM, data().comm,
                       MPI_INFO_NULL, request);
    MPI_Start(request);
  });
#endif
  return all;
}

/// Returns the waits whose results check_sums() does not check.
std::vector<Wait> other_waits() {
  std::vector<Wait> all;
  add_messages(all);
  all.push_back({"MPI_Wait for MPI_Ineighbor_alltoall", [] {
                   MPI_Request request = MPI_REQUEST_NULL;
                   MPI_Ineighbor_alltoall(data().in.data(), many / 2, MPI_DOUBLE, data().message.data(),
                                          many / 2, MPI_DOUBLE, data().ring, &request);
                   complete(request);
                 }});
  all.push_back({"MPI_Barrier", [] { MPI_Barrier(data().comm); }});
  for (const int count : {1, many}) {
    all.push_back({"MPI_Allreduce of " + std::to_string(count), [count] {
                     MPI_Allreduce(data().in.data(), data().message.data(), count, MPI_DOUBLE, MPI_SUM,
                                   data().comm);
                   }});
    all.push_back({"MPI_Bcast of " + std::to_string(count),
                   [count] { MPI_Bcast(data().message.data(), count, MPI_DOUBLE, 1, data().comm); }});
    all.push_back({"MPIX_Sysgroup_allreduce of " + std::to_string(count), [count] {
                     MPIX_Sysgroup_allreduce(data().in.data(), data().message.data(), count, MPI_DOUBLE,
                                             MPI_SUM, data().group);
                   }});
  }
  add_requests(all, "MPIX_Sysgroup_iallreduce", [](MPI_Request* request) {
    MPIX_Sysgroup_iallreduce(data().in.data(), data().message.data(), many, MPI_DOUBLE, MPI_SUM, data().group,
                             request);
  });
  return all;
}

/// The cell that is running, for report().
std::array<char, 256> cell{};

void report(int) {
  const char* const text = cell.data();
  static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
  _exit(1);
}

/// Runs one cell of the table. A rank that hangs in it prints the cell and exits.
void wait_while_needed(const Wait& wait, const Need& need) {
  const std::string where = "rank " + std::to_string(own_rank()) + " hangs: " + wait.name +
                            " at rank 0, while rank 1 needs it for " + need.name + "\n";
  where.copy(cell.data(), cell.size() - 1);
  cell[std::min(where.size(), cell.size() - 1)] = '\0';
  alarm(patience);
  MPI_Request needed = MPI_REQUEST_NULL;
  need.begin(needed);
  if (own_rank() == 1) need.end(needed);
  wait.call();
  if (own_rank() == 0) need.end(needed);
  need.free();
  alarm(0);
}

/// Makes the data of the cells, on communicators on which the team performs operations from then on.
void make_data() {
  const int size = 2;
  const int is_periodic = 1;
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &data().ring);
  MPI_Type_vector(large / 16, 1, 2, MPI_DOUBLE, &data().scattered);
  MPI_Type_commit(&data().scattered);
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &data().group);
  MPI_Allreduce(data().in.data(), data().out.data(), 1, MPI_DOUBLE, MPI_SUM, data().comm);
  MPI_Barrier(data().ring);
}

void free_data() {
  MPIX_Sysgroup_free(&data().group);
  MPI_Type_free(&data().scattered);
  PMPI_Comm_free(&data().ring);
}

} // namespace

TEST_CASE("MPI makes progress for other ranks, whatever a rank waits for") {
  std::signal(SIGALRM, report);
  test_support::Helpers helpers;
  helpers.phase([] {
    make_data();
    for (const Need& need : needs) {
      for (const Wait& wait : all_waits()) {
        wait_while_needed(wait, need);
        check_sums();
      }
      for (const Wait& wait : other_waits()) wait_while_needed(wait, need);
    }
    free_data();
  });
}
