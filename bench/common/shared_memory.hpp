// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace bench {

/// Memory that all ranks share. It does not use MPI_Win_allocate_shared, because an MPI that takes each rank
/// for a node of its own does not share that memory.
class SharedMemory {
public:
  /// Maps `bytes` zeros. Collective. Throws std::runtime_error at all ranks if the ranks cannot share memory.
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::array owner{static_cast<int>(getpid()), rank == 0 ? memfd_create("bench", MFD_CLOEXEC) : -1};
    bool is_mapped = rank != 0 || ftruncate(owner[1], static_cast<off_t>(bytes)) == 0;
    MPI_Bcast(owner.data(), 2, MPI_INT, 0, MPI_COMM_WORLD);
    const std::string path = "/proc/" + std::to_string(owner[0]) + "/fd/" + std::to_string(owner[1]);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (is_mapped) memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    is_mapped = memory_ != MAP_FAILED;
    MPI_Allreduce(MPI_IN_PLACE, &is_mapped, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
    close(file);
    if (rank == 0) close(owner[1]);
    if (!is_mapped) throw std::runtime_error("the ranks cannot share memory: are they on one node?");
  }
  ~SharedMemory() { munmap(memory_, bytes_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* data() const noexcept { return memory_; }

private:
  const std::size_t bytes_;
  void* memory_ = MAP_FAILED;
};

/// A barrier of two ranks without MPI, whose code and data would otherwise be in the caches afterwards.
class Meeting {
public:
  void meet(int rank) {
    std::atomic_ref(come_[rank].times).store(++times_);
    while (std::atomic_ref(come_[1 - rank].times).load() < times_) {
    }
  }

private:
  // The number of times a rank has arrived. It orders what a rank has written before for the other.
  struct alignas(64) Come {
    int times;
  };
  const SharedMemory memory_{2 * sizeof(Come)};
  Come* const come_ = static_cast<Come*>(memory_.data());
  int times_ = 0;
};

} // namespace bench
