// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "interpose/listed.hpp"
#include "trace/track.hpp"

/// Functions that compute from the arguments how many bytes a call moves, for the record.
namespace helper::interpose {

/// Returns the communicator of a call of `Native`, if it has one.
template <auto Native, class... Arguments>
MPI_Comm comm_among(const std::tuple<Arguments...>& arguments) {
  constexpr std::size_t at = listed<Native>.comm;
  if constexpr (at == Listed::none) {
    return MPI_COMM_NULL;
  } else {
    static_assert(std::is_same_v<std::tuple_element_t<at, std::tuple<Arguments...>>, MPI_Comm>);
    return std::get<at>(arguments);
  }
}

/// Records the bytes of a call's own data, and the size of its communicator. The call of `Native` has
/// succeeded, so its own data are valid; other arguments are not read.
template <auto Native, class... Arguments>
void record_volume(trace::Track& track, Arguments... arguments) {
  const std::tuple all(arguments...);
  std::uint64_t bytes = 0;
  if constexpr (constexpr std::size_t at = listed<Native>.own; at != Listed::none) {
    const auto count = std::get<at + 1>(all);
    const MPI_Datatype type = std::get<at + 2>(all);
    if (std::get<at>(all) != MPI_IN_PLACE && count > 0 && type != MPI_DATATYPE_NULL) {
      MPI_Count size = 0;
      PMPI_Type_size_x(type, &size);
      bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    }
  }
  int ranks = 0;
  const MPI_Comm comm = comm_among<Native>(all);
  if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &ranks);
  track.moved(bytes, ranks);
}

} // namespace helper::interpose
