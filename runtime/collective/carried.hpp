// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <new>
#include <optional>
#include <tuple>

#include "team/team.hpp"
#include "transport/mpi_error.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Calls an operation of collective.hpp, whose last argument is its communicator, for the operation's
/// callers: where it fails at this rank, it fails at all ranks that still wait for this one, and the
/// communicator is left to native MPI. Throws MpiError and PeerGaveUp only.
template <auto Operation>
struct Carried {
  template <class... Arguments>
  std::optional<int> operator()(team::Member& member, Arguments... arguments) const {
    const MPI_Comm comm = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    transport::operation::reset();
    try {
      const std::optional<int> code = Operation(member, arguments...);
      if (code) {
        transport::operation::end();
      } else {
        transport::operation::reset();
      }
      return code;
    } catch (const transport::Truncated&) {
      transport::operation::end();
      throw;
    } catch (const std::bad_alloc&) {
      transport::operation::fail(comm);
      throw transport::MpiError(comm, MPI_ERR_NO_MEM);
    } catch (...) {
      transport::operation::fail();
      throw;
    }
  }
};
template <auto Operation>
inline constexpr Carried<Operation> carried{};

} // namespace helper::collective
