// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "collective/cases.hpp"
#include "message/flavours.hpp"
#include "message/requests.hpp"

/// Starts non-blocking and persistent operations, and completes them in every way.
namespace test_support {

/// Tests each request until it is complete, and then waits for it.
inline int look_and_wait(std::span<MPI_Request> requests, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (int flag = 0; flag == 0;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    const int code = MPI_Wait(&requests[i], &statuses[i]);
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

/// The ways to complete requests, except those that compare statuses: MPICH gives requests of collectives
/// arbitrary statuses.
inline const std::vector<Completing>& ways() {
  static const std::vector<Completing> all = [] {
    std::vector<Completing> some{{"Request_get_status", look_and_wait}};
    std::ranges::copy_if(completings(), std::back_inserter(some), [](const Completing& way) {
      return !std::string_view(way.name).starts_with("Request_get_status");
    });
    return some;
  }();
  return all;
}

/// Draws the way in which this rank completes its next request.
inline const Completing& next_way() {
  static Draw own(seed() + 77 * static_cast<std::uint64_t>(Comm(MPI_COMM_WORLD).rank()));
  return own.of(ways());
}

/// Completes the requests a few at a time, in a random order that each rank draws for itself. Returns the
/// last code that is not MPI_SUCCESS.
inline int complete_some_and_some(std::vector<MPI_Request>& requests, Draw& own) {
  own.shuffle(requests); // any order must work
  int result = MPI_SUCCESS;
  for (std::size_t begin = 0, size = 0; begin < requests.size(); begin += size) {
    size = std::min(requests.size() - begin, static_cast<std::size_t>(1 + own.upto(7)));
    std::vector<MPI_Status> statuses(size);
    const int code = next_way().complete(std::span(requests).subspan(begin, size), statuses.data());
    if (code != MPI_SUCCESS) result = code;
  }
  return result;
}

/// Replaces a blocking function: starts the operation with `Start` and completes it in a random way.
template <auto Start>
inline constexpr auto completed = [](const auto&... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = Start(arguments..., &request);
  MPI_Status status;
  return code == MPI_SUCCESS ? next_way().complete({&request, 1}, &status) : code;
};

inline bool is_carried(const MPI_Request& request) {
  return helper::message::requests::find(&request) != nullptr;
}

/// Makes the team perform later non-blocking operations on `comm`: it first needs a blocking operation.
inline void get_to_know(Helpers& helpers, const Comm& comm) {
  helpers.phase([&] { MPI_Barrier(comm); });
}

/// Replaces a blocking function: makes a persistent request, starts it, completes it and frees it.
template <auto Init>
inline constexpr auto started_and_completed = [](const auto&... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = Init(arguments..., MPI_INFO_NULL, &request);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Start(&request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return code;
};

} // namespace test_support
