// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>

#include "collective/selection.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "trace/track.hpp"
#include "transport/mpi_error.hpp"
#include "transport/peer_memory.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Copies bytes from or to another process's memory.
struct PeerCopy {
  static constexpr trace::Stage stage = trace::Stage::copy;
  decltype(&transport::peer_memory::read) copy;
  pid_t process;
  const std::byte* from;
  std::byte* to;
  // Whether the system has refused. Only ever set, and read when the job is over, which orders it.
  std::atomic<bool> failed = false;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    if (!copy(process, from + begin, to + begin, end - begin)) failed.store(true, std::memory_order_relaxed);
  }
};

/// Copies bytes from another process's memory into a stream, both from `offset` on.
struct PeerFetch {
  static constexpr trace::Stage stage = trace::Stage::copy;
  pid_t process;
  const std::byte* from;
  const pipeline::Stream* to;
  std::size_t offset;
  std::atomic<bool> failed = false; // as above

  void operator()(std::size_t begin, std::size_t end) noexcept;
};

/// Has the team do a job of `bytes` bytes, one of the above. Blocks, lending the caller; throws MpiError, on
/// behalf of `comm`, if the system refuses.
template <class Job>
void run_copying(Job& job, std::size_t bytes, team::Member& member, MPI_Comm comm) {
  if (bytes == 0) return;
  const std::size_t grain = member.team().size() == 1 ? bytes : copy_grain; // nobody else takes a part
  member.run(team::Job::of(job, bytes, grain));
  if (job.failed.load(std::memory_order_relaxed)) throw transport::MpiError(comm, MPI_ERR_OTHER);
}

} // namespace helper::collective
