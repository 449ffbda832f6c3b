// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "interpose/listed.hpp"
#include "ranks/arguments.hpp"
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

/// Returns the ranks of a communicator; 0 if there is none.
inline int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  if (comm != MPI_COMM_NULL && PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return 0;
  return ranks;
}

/// Returns the bytes of `count` elements; 0 for MPI_IN_PLACE, and if MPI must check them.
inline std::size_t bytes_of(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || buffer == MPI_IN_PLACE || type == MPI_DATATYPE_NULL ||
      !ranks::valid_data(buffer, count, type))
    return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

/// Returns the bytes of the buffer at argument index `at`, if any, which its count and type follow.
template <std::size_t at, class... Arguments>
std::size_t bytes_at(const std::tuple<Arguments...>& all) {
  if constexpr (at == Listed::none) {
    return 0;
  } else {
    return bytes_of(std::get<at>(all), std::get<at + 1>(all), std::get<at + 2>(all));
  }
}

/// Records the bytes of a call's own data, and the size of its communicator. The call of `Native` has
/// succeeded; other arguments are not read.
template <auto Native, class... Arguments>
void record_volume(trace::Track& track, Arguments... arguments) {
  const std::tuple all(arguments...);
  track.moved(bytes_at<listed<Native>.own>(all), ranks_of(comm_among<Native>(all)));
}

} // namespace helper::interpose
