// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace test_support {

/// MPI for ranks that are threads of one process, which has not called MPI_Init. memory_mpi.cpp defines the
/// few PMPI_X that move the library's messages, of MPI_BYTE. Executables with that file and memory_types.cpp
/// call these instead of MPICH's.
///
/// MPI's guarantees hold: a receive gets the first message that was sent to it. Everything else is random:
/// whether a message is buffered, and after how many tests a request completes. Data are read from the send
/// buffer and written to the receive buffer as late as MPI may. An incorrect call ends the process with a
/// message: a thread that is no rank calls, or a message is longer than its receive.
///
/// One object lives at a time.
class MemoryMpi {
public:
  MemoryMpi(int ranks, std::uint64_t seed);
  ~MemoryMpi();
  MemoryMpi(const MemoryMpi&) = delete;
  MemoryMpi& operator=(const MemoryMpi&) = delete;

  /// Calls `body(rank)` on a thread for each rank, which may call MPI. Returns when all have returned. An
  /// exception ends the process.
  void run(const std::function<void(int rank)>& body);

  /// Returns whether all messages have been received and all requests completed. Call it when no rank runs.
  bool is_quiet() const;

  /// Returns how many messages a rank has sent. Call it when no rank runs.
  std::size_t sent(int rank) const;
};

} // namespace test_support
