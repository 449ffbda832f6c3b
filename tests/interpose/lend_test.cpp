// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "api/errors.hpp"
#include "support/mpi_support.hpp"
#include "team/registry.hpp"

// Every blocking call lends its thread. At rank 0, one member of a team of two blocks in the call. The other
// member publishes a job that needs two threads to finish, and only then lets rank 1 do its part of the call.
// If the call does not lend its thread, it never returns.

#include "mpi_helper.h"
#include "support/catch.hpp"

namespace {

constexpr int go_tag = 1;
constexpr int data_tag = 2;

/// A job of two chunks, neither of which ends before both have begun.
class Handshake {
public:
  void run(helper::team::Member& member) {
    const auto chunk = [](void* self, std::size_t, std::size_t) noexcept {
      auto& begun = static_cast<Handshake*>(self)->begun_;
      begun.fetch_add(1);
      while (begun.load() < 2) std::this_thread::yield();
    };
    member.run({chunk, this, 2, 1});
  }

private:
  std::atomic<int> begun_{0};
};

/// A blocking call at rank 0, and the part of rank 1 that lets it complete. Both return an MPI code.
struct Call {
  const char* name;
  std::function<int(MPI_Comm)> at_0;
  std::function<int(MPI_Comm)> at_1;
};

/// Makes the blocking call of rank 0 in a team of two. Returns its code.
int block_and_be_lent(const Call& call, MPI_Comm comm) {
  int code = MPI_ERR_OTHER;
  std::thread blocked([&] {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(1, 2, &team);
    MPI_Helper_join(team);
    code = call.at_0(comm);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  });
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(1, 2, &team);
  MPI_Helper_join(team);
  Handshake().run(*helper::team::presence.member());
  PMPI_Send(nullptr, 0, MPI_INT, 1, go_tag, MPI_COMM_WORLD);
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  blocked.join();
  return code;
}

int in_phase(const std::function<int()>& body) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(1, 1, &team);
  MPI_Helper_join(team);
  const int code = body();
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  return code;
}

std::array<int, 2> in{1, 2};
std::array<int, 4> out{};
const std::array<int, 2> ones{1, 1};
const std::array<int, 2> offsets{0, 1};
const std::array<int, 2> byte_offsets{0, 4};
const std::array<MPI_Datatype, 2> ints{MPI_INT, MPI_INT};

int send(MPI_Comm comm) {
  return MPI_Send(in.data(), 1, MPI_INT, 0, data_tag, comm);
}
int receive(MPI_Comm comm) {
  return MPI_Recv(out.data(), 1, MPI_INT, 0, data_tag, comm, MPI_STATUS_IGNORE);
}

/// Returns a function that posts a receive from rank 1 and completes it with `wait`.
template <class Wait>
std::function<int(MPI_Comm)> irecv_and(const Wait& wait) {
  return [wait](MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(out.data(), 1, MPI_INT, 1, data_tag, comm, &request);
    return wait(&request);
  };
}

/// A collective operation, which both ranks call in the same way.
template <class Operation>
Call collective(const char* name, const Operation& operation) {
  return {name, operation, operation};
}

std::vector<Call> calls() {
  std::vector<Call> all{
      {"Recv",
       [](MPI_Comm comm) { return MPI_Recv(out.data(), 1, MPI_INT, 1, data_tag, comm, MPI_STATUS_IGNORE); },
       send},
      {"Ssend", [](MPI_Comm comm) { return MPI_Ssend(in.data(), 1, MPI_INT, 1, data_tag, comm); }, receive},
      {"Send", // too large to be sent eagerly
       [](MPI_Comm comm) {
         static std::vector<int> large(1 << 20);
         return MPI_Send(large.data(), 1 << 20, MPI_INT, 1, data_tag, comm);
       },
       [](MPI_Comm comm) {
         static std::vector<int> large(1 << 20);
         return MPI_Recv(large.data(), 1 << 20, MPI_INT, 0, data_tag, comm, MPI_STATUS_IGNORE);
       }},
      {"Sendrecv",
       [](MPI_Comm comm) {
         return MPI_Sendrecv(in.data(), 1, MPI_INT, 1, data_tag, out.data(), 1, MPI_INT, 1, data_tag, comm,
                             MPI_STATUS_IGNORE);
       },
       [](MPI_Comm comm) { return send(comm) | receive(comm); }},
      {"Sendrecv_replace",
       [](MPI_Comm comm) {
         return MPI_Sendrecv_replace(out.data(), 1, MPI_INT, 1, data_tag, 1, data_tag, comm,
                                     MPI_STATUS_IGNORE);
       },
       [](MPI_Comm comm) { return send(comm) | receive(comm); }},
      {"Probe",
       [](MPI_Comm comm) {
         MPI_Status status;
         const int code = MPI_Probe(1, data_tag, comm, &status);
         return code | PMPI_Recv(out.data(), 1, MPI_INT, 1, data_tag, comm, MPI_STATUS_IGNORE);
       },
       send},
      {"Mprobe and Mrecv",
       [](MPI_Comm comm) {
         MPI_Message message = MPI_MESSAGE_NULL;
         const int code = MPI_Mprobe(1, data_tag, comm, &message, MPI_STATUS_IGNORE);
         return code | MPI_Mrecv(out.data(), 1, MPI_INT, &message, MPI_STATUS_IGNORE);
       },
       send},
      {"Wait", irecv_and([](MPI_Request* request) { return MPI_Wait(request, MPI_STATUS_IGNORE); }), send},
      {"Waitall",
       irecv_and([](MPI_Request* request) { return MPI_Waitall(1, request, MPI_STATUSES_IGNORE); }), send},
      {"Waitany", irecv_and([](MPI_Request* request) {
         int index = -1;
         const int code = MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
         return index == 0 ? code : MPI_ERR_OTHER;
       }),
       send},
      {"Waitsome", irecv_and([](MPI_Request* request) {
         int completed = 0;
         int index = -1;
         const int code = MPI_Waitsome(1, request, &completed, &index, MPI_STATUSES_IGNORE);
         return completed == 1 && index == 0 ? code : MPI_ERR_OTHER;
       }),
       send},
  };
  const auto add = [&](const char* name, const auto& operation) {
    all.push_back(collective(name, operation));
  };
  add("Barrier", [](MPI_Comm comm) { return MPI_Barrier(comm); });
  add("Bcast", [](MPI_Comm comm) { return MPI_Bcast(out.data(), 1, MPI_INT, 1, comm); });
  add("Allreduce",
      [](MPI_Comm comm) { return MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_SUM, comm); });
  add("Reduce",
      [](MPI_Comm comm) { return MPI_Reduce(in.data(), out.data(), 1, MPI_INT, MPI_SUM, 0, comm); });
  add("Gather",
      [](MPI_Comm comm) { return MPI_Gather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, 0, comm); });
  add("Gatherv", [](MPI_Comm comm) {
    return MPI_Gatherv(in.data(), 1, MPI_INT, out.data(), ones.data(), offsets.data(), MPI_INT, 0, comm);
  });
  add("Scatter",
      [](MPI_Comm comm) { return MPI_Scatter(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, 1, comm); });
  add("Scatterv", [](MPI_Comm comm) {
    return MPI_Scatterv(in.data(), ones.data(), offsets.data(), MPI_INT, out.data(), 1, MPI_INT, 1, comm);
  });
  add("Allgather",
      [](MPI_Comm comm) { return MPI_Allgather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, comm); });
  add("Allgatherv", [](MPI_Comm comm) {
    return MPI_Allgatherv(in.data(), 1, MPI_INT, out.data(), ones.data(), offsets.data(), MPI_INT, comm);
  });
  add("Alltoall",
      [](MPI_Comm comm) { return MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, comm); });
  add("Alltoallv", [](MPI_Comm comm) {
    return MPI_Alltoallv(in.data(), ones.data(), offsets.data(), MPI_INT, out.data(), ones.data(),
                         offsets.data(), MPI_INT, comm);
  });
  add("Alltoallw", [](MPI_Comm comm) {
    return MPI_Alltoallw(in.data(), ones.data(), byte_offsets.data(), ints.data(), out.data(), ones.data(),
                         byte_offsets.data(), ints.data(), comm);
  });
  add("Reduce_scatter", [](MPI_Comm comm) {
    return MPI_Reduce_scatter(in.data(), out.data(), ones.data(), MPI_INT, MPI_SUM, comm);
  });
  add("Reduce_scatter_block", [](MPI_Comm comm) {
    return MPI_Reduce_scatter_block(in.data(), out.data(), 1, MPI_INT, MPI_SUM, comm);
  });
  add("Comm_dup", [](MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    return MPI_Comm_dup(comm, &copy) | MPI_Comm_free(&copy);
  });
#if MPI_VERSION >= 4 // only MPI 4 has its non-blocking form
  add("Comm_dup_with_info", [](MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    return MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &copy) | MPI_Comm_free(&copy);
  });
#endif
  return all;
}

} // namespace

TEST_CASE("Every blocking call lends its thread") {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const Call& call : calls()) {
    int code = MPI_SUCCESS;
    if (rank == 0) {
      code = block_and_be_lent(call, MPI_COMM_WORLD);
    } else {
      PMPI_Recv(nullptr, 0, MPI_INT, 0, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      code = in_phase([&] { return call.at_1(MPI_COMM_WORLD); });
    }
    INFO(call.name);
    REQUIRE(code == MPI_SUCCESS);
  }
}

TEST_CASE("Results and statuses of lent calls are those of the blocking ones") {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Status status{};
  int count = 0;
  std::array<int, 3> values{};
  in_phase([&] {
    if (rank == 1) {
      const std::array<int, 2> sent{7, 8};
      return MPI_Send(sent.data(), 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    return MPI_Recv(values.data(), 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  });
  PMPI_Get_count(&status, MPI_INT, &count);
  if (rank == 0) {
    REQUIRE(status.MPI_SOURCE == 1);
    REQUIRE(status.MPI_TAG == 5);
    REQUIRE(count == 2);
    REQUIRE(values == std::array<int, 3>{7, 8, 0});
  }

  std::array<int, 2> sums{};
  in_phase([&] { return MPI_Scan(in.data(), sums.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
  REQUIRE(sums == std::array<int, 2>{1 * (rank + 1), 2 * (rank + 1)});
}

TEST_CASE("Receiving from and sending to nobody gives native MPI's statuses") {
  int value = 3;
  const auto statuses = [&](auto recv, auto probe, auto mprobe, auto mrecv, auto sendrecv, auto replace) {
    const std::array<std::array<int, 2>, 4> peers{
        {{MPI_PROC_NULL, MPI_PROC_NULL}, {0, 0}, {0, MPI_PROC_NULL}, {MPI_PROC_NULL, 0}}};
    std::vector<std::array<int, 2>> all;
    MPI_Status status{};
    MPI_Message message = MPI_MESSAGE_NULL;
    int received = 3;
    const auto add = [&](int code) {
      REQUIRE(code == MPI_SUCCESS);
      all.push_back({status.MPI_SOURCE, status.MPI_TAG});
      status = {};
    };
    add(recv(&received, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &status));
    add(probe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &status));
    add(mprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &message, &status));
    add(mrecv(&received, 1, MPI_INT, &message, &status));
    for (const auto& [destination, source] : peers) {
      MPI_Request other = MPI_REQUEST_NULL; // the partner of a call with one MPI_PROC_NULL
      if (destination == MPI_PROC_NULL && source == 0)
        PMPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &other);
      if (destination == 0 && source == MPI_PROC_NULL)
        PMPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &other);
      add(sendrecv(&value, 1, MPI_INT, destination, 0, &received, 1, MPI_INT, source, 0, MPI_COMM_SELF,
                   &status));
      PMPI_Wait(&other, MPI_STATUS_IGNORE);
      if (destination != source) continue;
      add(replace(&value, 1, MPI_INT, destination, 0, source, 0, MPI_COMM_SELF, &status));
    }
    REQUIRE(value == 3);
    REQUIRE(received == 3);
    return all;
  };
  std::vector<std::array<int, 2>> lent;
  in_phase([&] {
    lent = statuses(MPI_Recv, MPI_Probe, MPI_Mprobe, MPI_Mrecv, MPI_Sendrecv, MPI_Sendrecv_replace);
    return MPI_SUCCESS;
  });
  REQUIRE(lent ==
          statuses(PMPI_Recv, PMPI_Probe, PMPI_Mprobe, PMPI_Mrecv, PMPI_Sendrecv, PMPI_Sendrecv_replace));
}

TEST_CASE("Waiting for nothing returns at once, as native MPI does") {
  int index = 0;
  int completed = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  std::vector<int> codes;
  in_phase([&] {
    codes.push_back(MPI_Wait(&none, MPI_STATUS_IGNORE));
    codes.push_back(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE));
    codes.push_back(MPI_Waitany(1, &none, &index, MPI_STATUS_IGNORE));
    codes.push_back(MPI_Waitsome(1, &none, &completed, &index, MPI_STATUSES_IGNORE));
    return MPI_SUCCESS;
  });
  REQUIRE(codes == std::vector<int>(4, MPI_SUCCESS));
  REQUIRE(completed == MPI_UNDEFINED);
}
