// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace test_support {

/// MPI for ranks that are threads of one process, which has not called MPI_Init: memory_mpi.cpp defines the
/// few PMPI_X that move the library's messages, of MPI_BYTE, and executables with that file and
/// memory_types.cpp call these instead of MPICH's.
///
/// MPI's promises hold: a receive gets the first message that was sent to it. All else is drawn at random:
/// whether a message is buffered, and after how many tests a request completes. Data are read from where they
/// are sent, and written to where they are received, as late as MPI may. What no correct program does ends
/// the process with a message: a thread that is no rank calls, a message is longer than its receive.
///
/// One object lives at a time.
class MemoryMpi {
public:
  MemoryMpi(int ranks, std::uint64_t seed);
  ~MemoryMpi();
  MemoryMpi(const MemoryMpi&) = delete;
  MemoryMpi& operator=(const MemoryMpi&) = delete;

  /// Calls `body(rank)` in a thread for each rank, which may call MPI, and returns when all have returned. An
  /// exception ends the process.
  void run(const std::function<void(int rank)>& body);

  /// Whether all messages have been received and all requests completed. To be called when no rank runs.
  bool is_quiet() const;

  /// How many messages a rank has sent. To be called when no rank runs.
  std::size_t sent(int rank) const;
};

} // namespace test_support
