// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "interpose/listed.hpp"
#include "message/message.hpp"
#include "ranks/arguments.hpp"
#include "reduction/kernel.hpp"
#include "reduction/user_function.hpp"
#include "trace/track.hpp"

/// Functions that compute from the arguments how many bytes a call moves.
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

/// Returns the number of ranks of a communicator; 0 if there is none.
inline int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  if (comm != MPI_COMM_NULL && PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return 0;
  return ranks;
}

/// Returns the bytes of `count` elements of a valid type; 0 if there are none.
inline std::size_t bytes_of_type(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size_x(type, &size);
  return count > 0 ? static_cast<std::size_t>(count) * static_cast<std::size_t>(size) : 0;
}

/// Returns the bytes of `count` elements at `buffer`; 0 if MPI must check them.
inline std::size_t bytes_of(const void* buffer, MPI_Count count, MPI_Datatype type) {
  const bool is_valid = count > 0 && type != MPI_DATATYPE_NULL && ranks::valid_data(buffer, count, type);
  return is_valid ? bytes_of_type(count, type) : 0;
}

/// Returns the bytes of the buffer at argument index `at`, if there is one; its count and its type follow it.
template <std::size_t at, class... Arguments>
std::size_t bytes_at(const std::tuple<Arguments...>& all) {
  if constexpr (at == Listed::none) {
    return 0;
  } else {
    return bytes_of(std::get<at>(all), std::get<at + 1>(all), std::get<at + 2>(all));
  }
}

/// Records the bytes of a call's own data, and the size of its communicator. The call of `Native` has
/// succeeded, so its own data are valid; other arguments are not read.
template <auto Native, class... Arguments>
void record_volume(trace::Track& track, Arguments... arguments) {
  const std::tuple all(arguments...);
  std::size_t bytes = 0;
  if constexpr (constexpr std::size_t at = listed<Native>.own; at != Listed::none)
    if (std::get<at>(all) != MPI_IN_PLACE)
      bytes = bytes_of_type(std::get<at + 1>(all), std::get<at + 2>(all));
  track.moved(bytes, ranks_of(comm_among<Native>(all)));
}

// Calls with which OpenMP threads of the program may help. Such calls move enough data. They call no function
// of the program except functions that any thread may call.

template <auto Native>
inline constexpr bool may_be_helped = [] {
  constexpr Listed is = listed<Native>;
  return is.message || is.completes_all || is.reduces || is.reduces_blocks || is.reduces_locally ||
         is.packs || is.moves || is.moves_blocks || is.moves_counts;
}();

/// Returns the sum of the counts that a call has for each rank; 0 if there are none.
template <class Count>
MPI_Count sum_of(const Count* counts, int ranks) {
  MPI_Count sum = 0;
  for (int rank = 0; counts != nullptr && rank < ranks; ++rank) sum += counts[rank];
  return sum;
}

/// Returns the bytes of the message at argument index `at`; 0 if MPI packs it, or its peer is MPI_PROC_NULL.
template <std::size_t at, class... Arguments>
std::size_t message_at(const std::tuple<Arguments...>& all) {
  constexpr std::size_t peer = at + 3; // if the call names one
  if constexpr (std::is_integral_v<std::tuple_element_t<peer, std::tuple<Arguments...>>>) {
    if (std::get<peer>(all) == MPI_PROC_NULL) return 0;
  }
  const bool is_packed =
      message::is_scattered(std::get<at>(all), std::get<at + 1>(all), std::get<at + 2>(all));
  return is_packed ? bytes_at<at>(all) : 0;
}

/// Returns whether helpers may run the reduction. They may not if its function is for the caller alone.
inline bool helpers_may_reduce(MPI_Op op, MPI_Datatype type) {
  return reduction::find(op, type) || reduction::UserFunction::of(op);
}

/// Returns the bytes that a reduction among `ranks` ranks reduces. The arguments are two buffers, the count
/// or counts, the type and the operation.
template <auto Native, class... Arguments>
std::size_t reduced_bytes(int ranks, const std::tuple<Arguments...>& all) {
  const void* const buffer = std::get<0>(all) != MPI_IN_PLACE ? std::get<0>(all) : std::get<1>(all);
  const auto count = std::get<2>(all);
  const MPI_Datatype type = std::get<3>(all);
  if (!helpers_may_reduce(std::get<4>(all), type)) return 0;
  if constexpr (std::is_pointer_v<decltype(count)>) {
    return bytes_of(buffer, sum_of(count, ranks), type);
  } else {
    return bytes_of(buffer, count, type) *
           (listed<Native>.reduces_blocks ? static_cast<std::size_t>(ranks) : 1);
  }
}

/// Returns the bytes that a collective move among `ranks` ranks moves at this rank.
template <auto Native, class... Arguments>
std::size_t collective_bytes(int ranks, const std::tuple<Arguments...>& all) {
  constexpr Listed is = listed<Native>;
  if constexpr (is.moves_counts) {
    // The receive buffer is followed by the counts, the displacements and the type.
    constexpr std::size_t at = sizeof...(Arguments) - 5;
    return bytes_of(std::get<at>(all), sum_of(std::get<at + 1>(all), ranks), std::get<at + 3>(all));
  } else if constexpr (is.moves_blocks) {
    return bytes_at<is.other>(all) * static_cast<std::size_t>(ranks);
  } else {
    // Only the root may pass MPI_IN_PLACE, and the root's other data must be valid.
    return std::get<is.own>(all) == MPI_IN_PLACE ? bytes_at<is.other>(all) : bytes_at<is.own>(all);
  }
}

/// Returns the bytes that the library has still to move for the requests in these arguments.
template <class... Status>
std::size_t bytes_to_complete(const MPI_Request* request, Status...) {
  return message::bytes_left(1, request);
}
template <class... Statuses>
std::size_t bytes_to_complete(int count, const MPI_Request* requests, Statuses...) {
  return message::bytes_left(count, requests);
}

/// Returns how many bytes of a call a team may share, as far as the arguments show. Returns 0 if only MPI or
/// the caller may move the bytes.
template <auto Native, class... Arguments>
std::size_t shared_bytes(Arguments... arguments) {
  constexpr Listed is = listed<Native>;
  const std::tuple all(arguments...);
  if constexpr (is.completes_all) {
    return bytes_to_complete(arguments...);
  } else if constexpr (is.message) {
    std::size_t bytes = message_at<is.own>(all);
    if constexpr (is.other != Listed::none) bytes += message_at<is.other>(all);
    return bytes;
  } else if constexpr (is.reduces_locally) {
    return helpers_may_reduce(std::get<is.own + 3>(all), std::get<is.own + 2>(all)) ? bytes_at<is.own>(all)
                                                                                    : 0;
  } else if constexpr (is.packs) {
    return bytes_at<is.own>(all);
  } else {
    const int ranks = ranks_of(comm_among<Native>(all));
    if (ranks < 2) return 0;
    if constexpr (is.reduces || is.reduces_blocks)
      return reduced_bytes<Native>(ranks, all);
    else
      return collective_bytes<Native>(ranks, all);
  }
}

} // namespace helper::interpose
