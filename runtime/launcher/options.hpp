// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

/// The options of `mpi_helper run`: one for each setting.
namespace helper::launcher {

/// Returns the option of a setting, such as "--stall-report" of MPI_HELPER_STALL_REPORT.
std::string option_of(const settings::Variable& variable);

/// Returns the variable of an option, such as "MPI_HELPER_STALL_REPORT" of "--stall-report=5". The variable
/// need not be a setting.
std::string variable_of(std::string_view option);

/// Returns the placeholder for the option's value, such as FILE; empty if the option needs no value.
std::string value_of(const settings::Variable& variable);

class Options {
public:
  /// Adds the options to an application, which must not outlive this object.
  explicit Options(CLI::App& app);

  /// Returns the settings given by options, by variable name. Throws std::invalid_argument, which names an
  /// option whose value is invalid.
  std::map<std::string, std::string> settings() const;

private:
  std::map<std::string, std::string> texts_; // by variable name, for all variables
  std::vector<std::pair<const settings::Variable*, CLI::Option*>> given_;
  bool openmp_ = false;
};

/// Returns how many of `words`, which follow `run`, are options and their values. The word after them is the
/// program's name. A "--" ends the options, and is counted as an option.
std::size_t count_options(const std::vector<std::string>& words);

} // namespace helper::launcher
