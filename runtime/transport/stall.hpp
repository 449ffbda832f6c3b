// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

/// Functions that find out, for reports, which ranks wait for which in collective operations. Each shadow
/// communicator has a name, a hash that is equal at all its ranks.
namespace helper::transport {

/// Shows to the node's processes on which shadow this process waits. If several threads wait, shows one.
class Waits {
public:
  explicit Waits(std::uint64_t name) noexcept { say(name); }
  ~Waits() { say(0); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

private:
  static void say(std::uint64_t name) noexcept;
};

/// Returns a stall report: that this rank of `comm` waits in `operation`, and for which ranks of its node.
/// `name` is the name of the shadow. Only a thread that may call MPI may call it. Throws MpiError.
std::string describe_stall(const std::string& operation, MPI_Comm comm, std::uint64_t name);

} // namespace helper::transport
