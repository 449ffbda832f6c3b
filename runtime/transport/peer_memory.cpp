// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/peer_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <vector>

namespace helper::transport::peer_memory {

namespace {

// Written by try_copying(), before any other thread communicates.
constinit bool copying_works = false;

using Word = std::uint64_t;

/// Which process this is, and what it lets the others try to read and to write.
struct Trial {
  pid_t process;
  const Word* secret;
  Word* written; // one word for each process
};

/// Whether `works` holds at all processes.
bool all(bool works, MPI_Comm node) {
  int least = works ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, node);
  return least != 0;
}

/// Repeats `copy(bytes done)` until all bytes are copied: the system copies 2 GiB at most at once.
template <class Copy>
bool complete(std::size_t bytes, const Copy& copy) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t more = copy(done);
    if (more <= 0) return false;
    done += static_cast<std::size_t>(more);
  }
  return true;
}

iovec range(const void* begin, std::size_t done, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(const_cast<void*>(begin)) + done, bytes - done};
}

} // namespace

bool read(pid_t process, const void* from, void* to, std::size_t bytes) noexcept {
  return complete(bytes, [=](std::size_t done) {
    const iovec here = range(to, done, bytes);
    const iovec there = range(from, done, bytes);
    return process_vm_readv(process, &here, 1, &there, 1, 0);
  });
}

bool write(pid_t process, const void* from, void* to, std::size_t bytes) noexcept {
  return complete(bytes, [=](std::size_t done) {
    const iovec here = range(from, done, bytes);
    const iovec there = range(to, done, bytes);
    return process_vm_writev(process, &here, 1, &there, 1, 0);
  });
}

void try_copying(MPI_Comm node) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  const auto processes = static_cast<std::size_t>(size);
  std::random_device random;
  const Word secret = Word{random()} << 32 | random();
  std::vector<Word> secrets(processes);
  PMPI_Allgather(&secret, 1, MPI_UINT64_T, secrets.data(), 1, MPI_UINT64_T, node);
  std::vector<Word> written(processes);
  const Trial mine{getpid(), &secret, written.data()};
  std::vector<Trial> trials(processes);
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, trials.data(), sizeof mine, MPI_BYTE, node);

  bool works = true;
  for (std::size_t peer = 0; works && peer < processes; ++peer) {
    Word found = 0;
    works = read(trials[peer].process, trials[peer].secret, &found, sizeof found) && found == secrets[peer];
  }
  // Where a number names another process at a peer, because each has numbers of its own, nothing is written
  // to it.
  works = all(works, node);
  for (std::size_t peer = 0; works && peer < processes; ++peer)
    works = write(trials[peer].process, &secret, trials[peer].written + rank, sizeof secret);
  works = all(works, node); // also: all have written
  copying_works = all(works && written == secrets, node);
}

bool can_copy() noexcept {
  return copying_works;
}

} // namespace helper::transport::peer_memory
