// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/peer_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

namespace helper::shm::peer_memory {

namespace {

constinit struct {
  // try_copying() writes these, before any other thread communicates.
  bool works = false;
  int dumpable = 0; // the value at that time, or -1
  // Set once, by any thread that shares the flag; orders nothing. share_refusal() sets the pointer.
  std::atomic<bool> own_refusal{false};
  std::atomic<bool>* refusal = &own_refusal;
} copying;

using Word = std::uint64_t;

/// The identity of this process, and the addresses at which the others try to read and write.
struct CopyTrial {
  pid_t process;
  Word secret;
  const Word* shown;
  Word* written; // a word for each process
};

iovec range(const void* begin, std::size_t done, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(const_cast<void*>(begin)) + done, bytes - done};
}

/// Repeats `call`, process_vm_readv or process_vm_writev, until all bytes are copied: the system copies at
/// most 2 GiB at once.
bool copy_by(decltype(process_vm_readv)* call, pid_t process, const void* here, const void* there,
             std::size_t bytes) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    const iovec ours = range(here, done, bytes);
    const iovec theirs = range(there, done, bytes);
    const ssize_t more = call(process, &ours, 1, &theirs, 1, 0);
    if (more <= 0) return note_refusal(), false;
    done += static_cast<std::size_t>(more);
  }
  return true;
}

} // namespace

bool read(pid_t process, const void* from, void* to, std::size_t bytes) noexcept {
  return copy_by(process_vm_readv, process, to, from, bytes);
}

bool write(pid_t process, const void* from, void* to, std::size_t bytes) noexcept {
  return copy_by(process_vm_writev, process, from, to, bytes);
}

void try_copying(const ranks::NodeRanks& node) {
  copying.dumpable = prctl(PR_GET_DUMPABLE);
  std::random_device random;
  const Word secret = Word{random()} << 32 | random();
  std::vector<Word> written(node.count());
  const std::vector<CopyTrial> trials = node.gather(CopyTrial{getpid(), secret, &secret, written.data()});

  bool works = true;
  for (const CopyTrial& peer : trials) {
    Word found = 0;
    works = works && read(peer.process, peer.shown, &found, sizeof found) && found == peer.secret;
  }
  // A process writes only after all have read the right words: in separate PID namespaces, the number of a
  // peer may belong to another process here.
  works = node.everywhere(works);
  for (const CopyTrial& peer : trials)
    works = works && write(peer.process, &secret, peer.written + node.own(), sizeof secret);
  works = node.everywhere(works); // it also synchronises: all have written
  copying.works = node.everywhere(works && std::ranges::equal(written, trials, {}, {}, &CopyTrial::secret));
}

bool can_copy() noexcept {
  return copying.works;
}

bool is_refused() noexcept {
  return copying.works && copying.refusal->load(std::memory_order_relaxed);
}

void note_refusal() noexcept {
  copying.refusal->store(true, std::memory_order_relaxed);
}

void try_own() noexcept {
  if (!copying.works || is_refused()) return;
  const Word from = 0;
  Word to = 0;
  if (prctl(PR_GET_DUMPABLE) != copying.dumpable) note_refusal();
  read(getpid(), &from, &to, sizeof to); // which notes a refusal
}

void share_refusal(std::atomic<bool>& of_node) noexcept {
  copying.refusal = &of_node;
}

} // namespace helper::shm::peer_memory
