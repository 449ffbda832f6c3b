// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>

namespace test_support {

/// A number that the ranks of a communicator share, in a file that they map. All must be on this machine. A
/// window of MPI would not do: Debian's MPICH 5.0.2 takes each rank for a node. The constructor is
/// collective.
class SharedCounter {
public:
  explicit SharedCounter(MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    std::array<char, 40> name{"/tmp/mpi_helper_counter.XXXXXX"};
    int file = -1;
    if (rank == 0 && (file = mkstemp(name.data())) >= 0 && ftruncate(file, sizeof(Number)) != 0) std::abort();
    PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, comm);
    if (rank != 0) file = open(name.data(), O_RDWR);
    void* const mapped = mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) std::abort();
    number_ = static_cast<Number*>(mapped);
    close(file);
    PMPI_Barrier(comm); // all ranks have opened the file
    if (rank == 0) unlink(name.data());
  }
  ~SharedCounter() { munmap(number_, sizeof(Number)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  std::atomic<int>* operator->() const { return number_; }

private:
  using Number = std::atomic<int>; // zero bytes are a valid 0
  Number* number_ = nullptr;
};

} // namespace test_support
