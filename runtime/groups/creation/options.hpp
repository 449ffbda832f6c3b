// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace helper::groups::creation {

/// How the members of a group make a communicator of their own.
enum class Algorithm {
  direct,    ///< MPI_Comm_create_group
  recursive, ///< pairs of inter-communicators are created and merged, log2 of the members times
  multiway   ///< all members meet by messages of the library's own; then one step, MPI_Comm_create_group
};

/// What a caller outside of the group gets.
enum class Outsider { null, error };

struct Options {
  Algorithm algorithm = Algorithm::direct;
  Outsider outsider = Outsider::null;
};

/// Both throw std::invalid_argument, saying what is accepted.
Algorithm parse_algorithm(std::string_view text);
Outsider parse_outsider(std::string_view text);

} // namespace helper::groups::creation
