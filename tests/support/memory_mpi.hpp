// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace test_support {

/// MPI for ranks that are threads of one process, which has not called MPI_Init. memory_mpi.cpp defines the
/// few PMPI_X that move the messages of the library, as MPI_BYTE. Executables with that file and
/// memory_types.cpp call these functions instead of MPICH's.
class MemoryMpi {
public:
  MemoryMpi(int ranks, std::uint64_t seed);
  ~MemoryMpi();
  MemoryMpi(const MemoryMpi&) = delete;
  MemoryMpi& operator=(const MemoryMpi&) = delete;

  /// Calls `body(rank)` in a thread for each rank. These threads may call MPI. Returns when all have
  /// returned. An exception ends the process.
  void run(const std::function<void(int rank)>& body);

  /// Returns whether all messages have been received and all requests completed. Call it when no rank runs.
  bool is_quiet() const;

  /// Returns how many messages `rank` has sent. Call it when no rank runs.
  std::size_t sent(int rank) const;
};

} // namespace test_support
