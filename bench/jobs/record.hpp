// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// What a job's processes and the program that measures them say to one another: records of fixed size, each
/// a packet on a Unix socket.
namespace bench {

/// The first of a process.
struct Hello {
  std::int32_t rank;
  char mpi[124]; ///< name and version of its MPI
};

/// To a process: what to do next.
struct Command {
  enum class Verb : std::int32_t { check, time, end };
  Verb verb;
  std::int32_t team;      ///< members; 0: native MPI, outside of any phase
  std::int32_t operation; ///< an index that both sides know
  std::int32_t calls;     ///< to be timed
  std::uint64_t bytes;    ///< of the message
};

/// Of a process: what came of it.
struct Answer {
  double seconds; ///< for Verb::time, this process's for all calls
  bool right;     ///< for Verb::check, whether its result was
};

} // namespace bench
