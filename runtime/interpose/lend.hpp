// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>
#include <tuple>
#include <utility>

#include "interpose/name.hpp"
#include "interpose/volume.hpp"
#include "message/wait.hpp"
#include "team/team.hpp"
#include "transport/request.hpp"

/// Blocking calls lend their thread: they take the non-blocking form, then test, work, test …
namespace helper::interpose {

using message::wait_until;

/// This is the way of a blocking function whose arguments are those of the non-blocking `Start` but for the
/// request.
template <auto Start>
struct Lend {
  template <class... Arguments>
  std::optional<int> operator()(team::Member& member, Arguments... arguments) const {
    return with_status(member, MPI_STATUS_IGNORE, std::tuple(arguments...));
  }

  template <class... Arguments>
  static int with_status(team::Member& member, MPI_Status* status,
                         const std::tuple<Arguments...>& arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = std::apply([&](auto... argument) { return Start(argument..., &request); }, arguments);
    if (code != MPI_SUCCESS) return code;
    return message::wait_for(member, name_of<Start>, comm_among(false, arguments), request, status);
  }
};
template <auto Start>
inline constexpr Lend<Start> lend{};

/// Does what Lend does for blocking functions that have a status where the non-blocking one has the request.
template <auto Start>
struct LendWithStatus {
  template <class... Arguments>
  std::optional<int> operator()(team::Member& member, Arguments... arguments) const {
    constexpr std::size_t without_status = sizeof...(Arguments) - 1;
    const std::tuple all(arguments...);
    return [&]<std::size_t... index>(std::index_sequence<index...>) {
      return Lend<Start>::with_status(member, std::get<without_status>(all),
                                      std::tuple(std::get<index>(all)...));
    }
    (std::make_index_sequence<without_status>{});
  }
};
template <auto Start>
inline constexpr LendWithStatus<Start> lend_with_status{};

} // namespace helper::interpose
