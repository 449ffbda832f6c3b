// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// This library is preloaded to a program, before any other. At MPI_Finalize rank 0 writes to the file that
// TIME_IN_MPI names how many seconds a rank has spent in MPI functions, as the mean of all: in those that
// communicate, wait, pack, or read and write files.

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

// It is relaxed: each thread adds what it has spent, and MPI_Finalize comes after all of them.
std::atomic<Clock::rep> spent{0};

/// Calls an MPI function by its other name, and adds the time that it takes.
template <auto* function>
struct Timed;

template <class... Parameters, int (*function)(Parameters...)>
struct Timed<function> {
  static int call(Parameters... arguments) {
    const auto begun = Clock::now();
    const int code = function(arguments...);
    spent.fetch_add((Clock::now() - begun).count(), std::memory_order_relaxed);
    return code;
  }
};

void write_mean() {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const double own =
      std::chrono::duration<double>(Clock::duration(spent.load(std::memory_order_relaxed))).count();
  double all = 0;
  PMPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const char* const file = std::getenv("TIME_IN_MPI");
  std::FILE* const out = rank == 0 && file != nullptr ? std::fopen(file, "w") : nullptr;
  if (out == nullptr) return;
  std::fprintf(out, "%.9f\n", all / size);
  std::fclose(out);
}

} // namespace

extern "C" int MPI_Finalize() {
  write_mean();
  return PMPI_Finalize();
}

// The loader makes MPI_X the function that the one of the same name here returns.
#define TIMED(name)                                                                                          \
  extern "C" auto* timed_##name() {                                                                          \
    return &Timed<P##name>::call;                                                                            \
  }                                                                                                          \
  extern "C" decltype(name) name __attribute__((ifunc("timed_" #name)));

TIMED(MPI_Allgather)
TIMED(MPI_Allgatherv)
TIMED(MPI_Allreduce)
TIMED(MPI_Alltoall)
TIMED(MPI_Alltoallv)
TIMED(MPI_Alltoallw)
TIMED(MPI_Barrier)
TIMED(MPI_Bcast)
TIMED(MPI_Bsend)
TIMED(MPI_File_close)
TIMED(MPI_File_open)
TIMED(MPI_File_read_all)
TIMED(MPI_File_read_at)
TIMED(MPI_File_read_at_all)
TIMED(MPI_File_set_size)
TIMED(MPI_File_set_view)
TIMED(MPI_File_sync)
TIMED(MPI_File_write_all)
TIMED(MPI_File_write_at)
TIMED(MPI_File_write_at_all)
TIMED(MPI_Gather)
TIMED(MPI_Gatherv)
TIMED(MPI_Iprobe)
TIMED(MPI_Irecv)
TIMED(MPI_Isend)
TIMED(MPI_Neighbor_alltoallv)
TIMED(MPI_Neighbor_alltoallw)
TIMED(MPI_Pack)
TIMED(MPI_Probe)
TIMED(MPI_Recv)
TIMED(MPI_Reduce)
TIMED(MPI_Reduce_scatter)
TIMED(MPI_Reduce_scatter_block)
TIMED(MPI_Rsend)
TIMED(MPI_Scan)
TIMED(MPI_Scatter)
TIMED(MPI_Scatterv)
TIMED(MPI_Send)
TIMED(MPI_Sendrecv)
TIMED(MPI_Sendrecv_replace)
TIMED(MPI_Ssend)
TIMED(MPI_Start)
TIMED(MPI_Startall)
TIMED(MPI_Test)
TIMED(MPI_Testall)
TIMED(MPI_Testany)
TIMED(MPI_Unpack)
TIMED(MPI_Wait)
TIMED(MPI_Waitall)
TIMED(MPI_Waitany)
TIMED(MPI_Waitsome)
