// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "interpose/name.hpp"
#include "trace/track.hpp"

/// These functions read off its arguments what a call moves, for the record.
namespace helper::interpose {

template <class Argument>
inline constexpr bool is_buffer = std::same_as<Argument, void*> || std::same_as<Argument, const void*>;

/// Returns where the arguments have a buffer, its count and its datatype, one behind the other; the number of
/// arguments if nowhere.
template <class... Arguments>
constexpr std::size_t find_buffer(bool last) {
  constexpr std::size_t size = sizeof...(Arguments);
  constexpr std::array<bool, size> buffer{is_buffer<Arguments>...};
  constexpr std::array<bool, size> number{std::is_integral_v<Arguments>...};
  constexpr std::array<bool, size> handle{std::same_as<Arguments, MPI_Datatype>...};
  std::size_t found = size;
  for (std::size_t at = 0; at + 2 < size && (last || found == size); ++at) {
    if (buffer[at] && number[at + 1] && handle[at + 2]) found = at;
  }
  return found;
}

/// Returns the communicator of a call, which with a buffer is its last argument, or the last but for a status
/// or request; that of other calls is their last, if any.
template <class... Arguments>
MPI_Comm comm_among(bool has_buffer, const std::tuple<Arguments...>& arguments) {
  constexpr std::size_t size = sizeof...(Arguments);
  if constexpr (std::same_as<std::tuple_element_t<0, std::tuple<Arguments...>>, MPI_File>) {
    return MPI_COMM_NULL; // the datatype of a file's data stands where others have a communicator
  } else if constexpr (std::same_as<std::tuple_element_t<size - 1, std::tuple<Arguments...>>, MPI_Comm>) {
    return std::get<size - 1>(arguments);
  } else if constexpr (size > 1) {
    if constexpr (std::same_as<std::tuple_element_t<size - 2, std::tuple<Arguments...>>, MPI_Comm>) {
      if (has_buffer) return std::get<size - 2>(arguments);
    }
  }
  return MPI_COMM_NULL;
}

/// Tells whether the last argument, which in MPICH may be a number as a communicator is, is a window,
/// session, operation or request.
template <auto Native>
inline constexpr bool has_no_comm = [] {
  const std::string_view name = name_of<Native>;
  return name.starts_with("MPI_Win_") || name.starts_with("MPI_Session_") ||
         name.starts_with("MPI_Reduce_local") || name.starts_with("MPI_Pready") || name == "MPI_Buffer_flush";
}();

/// Records the bytes of the first buffer that has a count, and the size of the communicator, of a call of
/// `Native` that has succeeded: so the arguments that count are good, and others are not looked at.
template <auto Native, class... Arguments>
void record_volume(trace::Track& track, Arguments... arguments) {
  // The root alone has something to scatter.
  constexpr std::string_view name = name_of<Native>;
  constexpr std::size_t at =
      find_buffer<Arguments...>(name.starts_with("MPI_Scatter") || name.starts_with("MPI_Iscatter"));
  constexpr bool has_buffer = at < sizeof...(Arguments);
  const std::tuple all(arguments...);
  std::uint64_t bytes = 0;
  if constexpr (has_buffer) {
    const auto count = std::get<at + 1>(all);
    const MPI_Datatype type = std::get<at + 2>(all);
    if (std::get<at>(all) != MPI_IN_PLACE && count > 0 && type != MPI_DATATYPE_NULL) {
      MPI_Count size = 0;
      PMPI_Type_size_x(type, &size);
      bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    }
  }
  int ranks = 0;
  if constexpr (!has_no_comm<Native>) {
    const MPI_Comm comm = comm_among(has_buffer, all);
    if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &ranks);
  }
  track.moved(bytes, ranks);
}

} // namespace helper::interpose
