// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// `calls [team]` calls MPI in most of its ways, and each function equally often in every run. It runs
// natively or with the library preloaded. With `team` it makes a team if the library is there. It is also
// built as a shared object, for host.c.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

extern "C" {
// Functions of the library. They exist only if it is preloaded. Handles are integers.
[[gnu::weak]] int MPI_Helper_team_create(int id, int size, int* team);
[[gnu::weak]] int MPI_Helper_team_free(int* team);
[[gnu::weak]] int MPI_Helper_join(int team);
[[gnu::weak]] int MPI_Helper_leave(int team);
}

namespace {

constexpr int count = 20'000;
int rank = 0;
int ranks = 1;
bool wrong = false;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("WRONG RESULT at rank %d: %s\n", rank, what);
  wrong = true;
}

std::vector<double> numbers(double first) {
  std::vector<double> made(count);
  std::iota(made.begin(), made.end(), first);
  return made;
}

// A user-defined operation: MPI calls it, and it calls MPI.
void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  expect(size == sizeof(double), "MPI_Type_size in an operation");
  for (int i = 0; i < *length; ++i) static_cast<double*>(inout)[i] += static_cast<double*>(in)[i];
}

void collectives(MPI_Comm comm) {
  const auto mine = numbers(0);
  std::vector<double> sums(count);
  for (int round = 0; round < 3; ++round) {
    MPI_Allreduce(mine.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    expect(sums[count - 1] == ranks * (count - 1.0), "MPI_Allreduce");
    MPI_Barrier(comm);
  }
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &op);
  double one = 1;
  double all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, op, comm);
  expect(all == ranks, "MPI_Allreduce with an operation of the user's");
  MPI_Op_free(&op);
  std::vector<double> given = rank == 0 ? mine : std::vector<double>(count);
  MPI_Bcast(given.data(), count, MPI_DOUBLE, 0, comm);
  expect(given == mine, "MPI_Bcast");
  std::vector<int> everyone(static_cast<std::size_t>(ranks));
  MPI_Allgather(&rank, 1, MPI_INT, everyone.data(), 1, MPI_INT, comm);
  expect(everyone[static_cast<std::size_t>(ranks - 1)] == ranks - 1, "MPI_Allgather");
}

// Sends non-contiguous data around a ring, in messages that the library announces.
void messages(MPI_Comm comm) {
  const int next = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(count / 2, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const auto mine = numbers(rank);
  std::vector<double> got(count);
  const auto check = [&](const char* what) {
    expect(got[0] == before && got[count - 2] == before + count - 2, what);
    got.assign(count, -1);
  };
  std::array<MPI_Request, 2> both{};
  MPI_Irecv(got.data(), 1, column, before, 1, comm, &both[0]);
  MPI_Barrier(comm); // now the library may announce messages to all ranks
  MPI_Isend(mine.data(), 1, column, next, 1, comm, &both[1]);
  int done = 0;
  MPI_Testall(2, both.data(), &done, MPI_STATUSES_IGNORE);
  MPI_Test(&both[0], &done, MPI_STATUS_IGNORE);
  MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  check("MPI_Irecv");
  MPI_Sendrecv(mine.data(), 1, column, next, 2, got.data(), 1, column, before, 2, comm, MPI_STATUS_IGNORE);
  check("MPI_Sendrecv");
  MPI_Request persistent = MPI_REQUEST_NULL;
  MPI_Send_init(mine.data(), 1, column, next, 3, comm, &persistent);
  MPI_Start(&persistent);
  MPI_Probe(before, 3, comm, MPI_STATUS_IGNORE);
  MPI_Recv(got.data(), 1, column, before, 3, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  check("MPI_Recv");
  if (rank == 0) MPI_Send(mine.data(), 8, MPI_DOUBLE, next, 4, comm);
  if (rank == 1 || ranks == 1) MPI_Recv(got.data(), 8, MPI_DOUBLE, before, 4, comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

void communicators_and_memory(MPI_Comm comm) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank % 2, 0, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Comm_free(&graph);
  void* memory = nullptr;
  MPI_Alloc_mem(1 << 16, MPI_INFO_NULL, &memory);
  std::memset(memory, 1, 1 << 16);
  MPI_Free_mem(memory);
  int error_class = 0;
  MPI_Error_class(MPI_ERR_TRUNCATE, &error_class);
  expect(error_class == MPI_ERR_TRUNCATE, "MPI_Error_class");
}

// Reads and writes a file. For files MPI communicates by PMPI functions, even when it makes progress.
void files(MPI_Comm comm, const char* name) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  const MPI_Offset mine = static_cast<MPI_Offset>(rank) * count * static_cast<MPI_Offset>(sizeof(double));
  const auto written = numbers(rank);
  std::vector<double> read(count);
  MPI_File_write_at_all(file, mine, written.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_File_iread_at_all(file, mine, read.data(), count, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(read == written, "MPI_File_iread_at_all");
  MPI_File_close(&file);
}

void everything(const char* name) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  collectives(comm);
  messages(comm);
  communicators_and_memory(comm);
  files(comm, name);
  MPI_Comm_free(&comm);
}

/// Runs `work` in a phase of a team of two. The other member helps.
template <class Work>
void in_team(const Work& work) {
  int team = 0;
  std::thread helper([] {
    int same_team = 0;
    MPI_Helper_team_create(1, 2, &same_team);
    MPI_Helper_join(same_team);
    MPI_Helper_leave(same_team);
    MPI_Helper_team_free(&same_team);
  });
  MPI_Helper_team_create(1, 2, &team);
  MPI_Helper_join(team);
  work();
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  helper.join();
}

} // namespace

int main(int argc, char** argv) {
  const bool with_team = argc > 1 && std::strcmp(argv[1], "team") == 0;
  int provided = 0;
  const int initialised =
      with_team ? MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) : MPI_Init(&argc, &argv);
  if (initialised != MPI_SUCCESS) {
    std::puts("MPI_Init failed");
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string file = std::string(argv[0]) + (with_team ? ".team.tmp" : ".tmp");
  if (with_team && MPI_Helper_join != nullptr) {
    in_team([&] { everything(file.c_str()); });
  } else {
    everything(file.c_str());
  }
  int any = 0;
  const int here = wrong ? 1 : 0;
  MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && any == 0) std::puts("all as expected");
  MPI_Finalize();
  return any;
}
