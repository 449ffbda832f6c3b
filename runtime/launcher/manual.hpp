// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>

/// The texts that the launcher prints about itself and the settings.
namespace helper::launcher {

/// Returns the text in lines of at most `width` columns, each after `indentation`.
std::string wrapped(std::string_view text, std::string_view indentation, std::size_t width);

/// Returns every setting with its values, default, option and meaning, for a terminal.
std::string settings_text();

/// Returns what `mpi_helper run --help` prints.
std::string run_help();

/// Returns what `mpi_helper advise --help` prints.
std::string advise_help();

/// Returns the manual page mpi_helper(1), for man.
std::string manual_of_launcher();

/// Returns the manual page mpi_helper-settings(7), for man.
std::string manual_of_settings();

/// Returns the completion of the options, for bash.
std::string completion();

} // namespace helper::launcher
