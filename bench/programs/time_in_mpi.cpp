// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// This library is preloaded to a program, before any other. At MPI_Finalize rank 0 writes the seconds that a
// rank has spent in MPI functions, averaged over the ranks, to the file that TIME_IN_MPI names. It counts
// functions that communicate, wait, pack, or read and write files.

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

// Relaxed: each thread adds its time, and MPI_Finalize comes after all of them.
std::atomic<Clock::rep> spent{0};

/// Calls an MPI function by its PMPI name, and adds its time.
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

// An ifunc: the loader binds MPI_X to the address that this function returns.
#define TIMED(name)                                                                                          \
  extern "C" auto* timed_##name() {                                                                          \
    return &Timed<P##name>::call;                                                                            \
  }                                                                                                          \
  extern "C" decltype(name) name __attribute__((ifunc("timed_" #name)));
#define TIMED_5(a, b, c, d, e) TIMED(a) TIMED(b) TIMED(c) TIMED(d) TIMED(e)

// clang-format off
TIMED_5(MPI_Allgather, MPI_Allgatherv, MPI_Allreduce, MPI_Alltoall, MPI_Alltoallv)
TIMED_5(MPI_Alltoallw, MPI_Barrier, MPI_Bcast, MPI_Bsend, MPI_File_close)
TIMED_5(MPI_File_open, MPI_File_read_all, MPI_File_read_at, MPI_File_read_at_all, MPI_File_set_size)
TIMED_5(MPI_File_set_view, MPI_File_sync, MPI_File_write_all, MPI_File_write_at, MPI_File_write_at_all)
TIMED_5(MPI_Gather, MPI_Gatherv, MPI_Iprobe, MPI_Irecv, MPI_Isend)
TIMED_5(MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw, MPI_Pack, MPI_Probe, MPI_Recv)
TIMED_5(MPI_Raccumulate, MPI_Rget, MPI_Rput, MPI_Win_flush_all, MPI_Win_unlock_all)
TIMED_5(MPI_Reduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Rsend, MPI_Scan)
TIMED_5(MPI_Scatter, MPI_Scatterv, MPI_Send, MPI_Sendrecv, MPI_Sendrecv_replace)
TIMED_5(MPI_Ssend, MPI_Start, MPI_Startall, MPI_Test, MPI_Testall)
TIMED_5(MPI_Testany, MPI_Unpack, MPI_Wait, MPI_Waitall, MPI_Waitany)
TIMED(MPI_Waitsome)
// clang-format on
