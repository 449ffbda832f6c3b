// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

/// The functions here find out, for reports, which rank waits for which in collective operations. What the
/// ranks of a communicator wait in has a name, a hash that they all make of the same.
namespace helper::transport {

/// While the object lives, the processes of the node see that this one waits in what has the name. Of two
/// threads that wait they see one.
class Waits {
public:
  explicit Waits(std::uint64_t name) noexcept;
  ~Waits();
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;
};

/// Returns what a stall report says of this rank of `comm`, which waits in `operation`, and for which ranks
/// it waits, as far as they are on this node. Only a thread that may call MPI may call it. Throws MpiError.
std::string describe_stall(const std::string& operation, MPI_Comm comm, std::uint64_t name);

} // namespace helper::transport
