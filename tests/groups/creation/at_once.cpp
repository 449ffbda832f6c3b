// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Eight threads of each process create communicators at the same time, each with its own tag. The argument is
// an algorithm of MPIX_Group_comm_create; the groups overlap and have different orders. With `native` two
// processes use MPI_Intercomm_create over MPI_COMM_WORLD and MPI_Intercomm_merge. That aborts, hangs, or
// makes communicators that do not work. The program prints "all right" if all communicators work.

#include <mpi_helper.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "support/yield.hpp"

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

/// Returns all ranks in circular order, starting at rank `tag`. If `tag` is odd and there are more than two
/// ranks, the last rank of this order is left out.
std::vector<int> ranks_of(int tag, int size) {
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) ranks.push_back((tag + i) % size);
  if (tag % 2 == 1 && size > 2) ranks.pop_back();
  return ranks;
}

MPI_Comm create(const char* algorithm, const std::vector<int>& ranks, int tag) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_group_algorithm", algorithm);
  MPIX_Group_comm_create_info(MPI_COMM_WORLD, some, tag, info, &made);
  MPI_Info_free(&info);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return made;
}

void create_and_use(const char* algorithm, int rank, int size, int tag) {
  const int rounds = size == 2 ? 20 : 2;
  const bool is_native = std::strcmp(algorithm, "native") == 0;
  const std::vector<int> ranks = ranks_of(is_native ? 0 : tag, size);
  const int members = static_cast<int>(ranks.size());
  const auto own = static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
  if (own == members) return;
  const int next = (own + 1) % members;
  const int previous = (own + members - 1) % members;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm made = is_native ? create_natively(rank, tag) : create(algorithm, ranks, tag);
    const int sent = tag * size + own;
    int heard = -1;
    int made_rank = -1;
    MPI_Comm_rank(made, &made_rank);
    MPI_Sendrecv(&sent, 1, MPI_INT, next, 0, &heard, 1, MPI_INT, previous, 0, made, MPI_STATUS_IGNORE);
    if (made_rank != own || heard != tag * size + previous) wrong = true;
    MPI_Comm_free(&made);
  }
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  int rank = 0;
  int size = 0;
  test_support::yield_while_waiting();
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
