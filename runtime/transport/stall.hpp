// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

/// Functions that find out, for reports, which ranks wait for which in collective operations. Each operation
/// has a name, a hash that is equal at all its ranks.
namespace helper::transport {

/// Shows the processes of the node in which operation this process waits; one of them, if two threads wait.
class Waits {
public:
  explicit Waits(std::uint64_t name) noexcept { say(name); }
  ~Waits() { say(0); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

private:
  static void say(std::uint64_t name) noexcept;
};

/// Returns the text of a stall report: this rank of `comm` waits in `operation`, named `name`, and for which
/// ranks of its node. Only a thread that may call MPI may call it. Throws MpiError.
std::string describe_stall(const std::string& operation, MPI_Comm comm, std::uint64_t name);

} // namespace helper::transport
