// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <optional>

#include "interpose/entry.hpp"
#include "message/message.hpp"

namespace helper::interpose {

/// The way of functions that block in MPI: hands messages that others may wait for to MPI before.
inline constexpr auto rescue = [](team::Member&, auto...) -> std::optional<int> {
  message::rescue();
  return std::nullopt;
};

} // namespace helper::interpose
