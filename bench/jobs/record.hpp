// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// The messages between the processes of a job and the program that measures them: records of fixed size,
/// each a packet on a Unix socket.
namespace bench {

struct Hello {
  std::int32_t rank;
  char mpi[124]; ///< name and version of its MPI
};

struct Command {
  enum class Verb : std::int32_t { check, time, end };
  Verb verb;
  std::int32_t operation; ///< an index that both sides know
  std::int32_t calls;     ///< to be timed
  std::uint64_t bytes;    ///< of the message
};

struct Answer {
  double seconds; ///< for Verb::time, this process's for all calls
  bool right;     ///< for Verb::check, whether its result was right
};

} // namespace bench
