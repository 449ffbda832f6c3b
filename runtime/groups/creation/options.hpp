// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace helper::groups::creation {

/// A program can choose these options of the creation of a communicator by its members.
struct Options {
  /// The members make the communicator by one of these.
  enum class Algorithm {
    direct,    ///< by MPI_Comm_create_group
    recursive, ///< by pairs of inter-communicators that are created and merged, log2 of the members times
    multiway ///< by a meeting of all members, in messages of the library's own, before MPI_Comm_create_group
  };
  /// A caller that is not in the group gets MPI_COMM_NULL or an error.
  enum class Outsider { null, error };

  Algorithm algorithm = Algorithm::direct;
  Outsider outsider = Outsider::null;
};

/// Reads the value of the setting or hint of that name. Throws std::invalid_argument, saying what is
/// accepted.
Options::Algorithm parse_algorithm(std::string_view text);
Options::Outsider parse_outsider(std::string_view text);

} // namespace helper::groups::creation
