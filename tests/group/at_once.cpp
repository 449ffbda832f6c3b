// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Eight threads of each process create communicators of all at once, with tags of their own: by
// MPI_Intercomm_create and MPI_Intercomm_merge over MPI_COMM_WORLD (`native`, of two processes), or by an
// algorithm of MPIX_Group_comm_create. Says "all right" at the end; `native` aborts, hangs, or makes what
// does not work.

#include <mpi_helper.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 8;

std::atomic<bool> wrong{false};

MPI_Comm create_natively(int rank, int tag) {
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, tag, &both);
  MPI_Intercomm_merge(both, rank, &made);
  MPI_Comm_free(&both);
  return made;
}

MPI_Comm create(const char* algorithm, int tag) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_group_algorithm", algorithm);
  MPIX_Group_comm_create_info(MPI_COMM_WORLD, all, tag, info, &made);
  MPI_Info_free(&info);
  MPI_Group_free(&all);
  return made;
}

void create_and_use(const char* algorithm, int rank, int size, int tag) {
  const int rounds = size == 2 ? 50 : 2; // slow where there are few processing units
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm made =
        std::strcmp(algorithm, "native") == 0 ? create_natively(rank, tag) : create(algorithm, tag);
    const int own = tag * size + rank;
    int others = -1;
    int made_rank = -1;
    MPI_Comm_rank(made, &made_rank);
    MPI_Sendrecv(&own, 1, MPI_INT, next, 0, &others, 1, MPI_INT, previous, 0, made, MPI_STATUS_IGNORE);
    if (made_rank != rank || others != tag * size + previous) wrong = true;
    MPI_Comm_free(&made);
  }
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  int rank = 0;
  int size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::thread> creating;
  for (int tag = 0; tag < threads; ++tag) creating.emplace_back(create_and_use, argv[1], rank, size, tag);
  for (std::thread& thread : creating) thread.join();
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  if (rank == 0) std::puts("all right");
}
