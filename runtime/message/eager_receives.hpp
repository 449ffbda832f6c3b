// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

namespace helper::message {

/// The memory that a receive stores in: elements of a predefined type that lie one behind the other.
struct EagerReceive {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

/// Non-blocking receives that have no room for a message of their type which is announced: MPI alone carries
/// them, and they need no operation. Should an RTS come nevertheless, for a message that is too large, or
/// sent as another type, who completes the request sees it in the buffer. So that they cost little while
/// caches are cold, there is but a table for which nothing is allocated, and a line of it for each request.
namespace eager_receives {

/// Keeps the receive of a request that MPI has just returned, or that is not complete. Returns false if there
/// is no room for it.
bool put(MPI_Request request, const EagerReceive& receive) noexcept;

/// Whether the request is one of those.
bool has(MPI_Request request) noexcept;

/// Removes and returns the receive of a request; nothing if it is none of those. The thread that may complete
/// the request calls it, before it has MPI do so: then another one may have its name.
std::optional<EagerReceive> take(MPI_Request request) noexcept;

/// Forgets all, when MPI begins: what it has been asked for past the library is never taken.
void clear() noexcept;

} // namespace eager_receives

} // namespace helper::message
