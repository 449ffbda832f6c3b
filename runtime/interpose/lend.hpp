// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>
#include <tuple>
#include <utility>

#include "interpose/name.hpp"
#include "interpose/volume.hpp"
#include "message/message.hpp"
#include "message/wait.hpp"
#include "team/team.hpp"

/// Blocking calls lend their thread: they use the non-blocking form, and alternately test it and run chunks.
namespace helper::interpose {

using message::wait_until;

/// Does what a blocking function does, using the non-blocking `Start`. `arguments` are the arguments of
/// `Start` without the request.
template <auto Start, class... Arguments>
int lend_and_finish(team::Member& member, MPI_Status* status, const std::tuple<Arguments...>& arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = std::apply([&](auto... argument) { return Start(argument..., &request); }, arguments);
  if (code != MPI_SUCCESS) return code;
  return message::wait_for(member, name_of<Start>, comm_among<Start>(arguments), request, status);
}

/// The way of a blocking function whose arguments are those of the non-blocking `Start` without the request.
template <auto Start>
inline constexpr auto lend = [](team::Member& member, auto... arguments) -> std::optional<int> {
  return lend_and_finish<Start>(member, MPI_STATUS_IGNORE, std::tuple(arguments...));
};

/// The way of a blocking function that has a status where the non-blocking `Start` has the request.
template <auto Start>
inline constexpr auto lend_with_status = [](team::Member& member, auto... arguments) -> std::optional<int> {
  constexpr std::size_t without_status = sizeof...(arguments) - 1;
  const std::tuple all(arguments...);
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return lend_and_finish<Start>(member, std::get<without_status>(all), std::tuple(std::get<index>(all)...));
  }
  (std::make_index_sequence<without_status>{});
};

/// The way of functions that block in MPI. First it hands to MPI the messages for which other ranks may wait.
inline constexpr auto rescue = [](team::Member&, auto...) -> std::optional<int> {
  message::rescue();
  return std::nullopt;
};

} // namespace helper::interpose
