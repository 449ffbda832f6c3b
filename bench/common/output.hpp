// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/statistics.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace bench {

using Json = nlohmann::ordered_json;

/// JSON objects use this function when they get Quantiles as a value.
inline void to_json(Json& json, const Quantiles& of) {
  json = {{"p10", of.p10}, {"median", of.median}, {"p90", of.p90}};
}

/// Writes `json` to a file, indented. Throws std::system_error if it cannot create the file.
void write_json(const Json& json, const std::string& file);

/// The results of a benchmark: objects that become rows of a table on standard output, and an array in a
/// file.
class Lines {
public:
  /// `file`: where write() writes; empty: nowhere. If `shows` is false, add() and write() do nothing: for
  /// ranks other than 0.
  explicit Lines(std::string file, bool shows = true) : file_(std::move(file)), shows_(shows) {}

  /// Prints the values of `line` in columns. Prints a header if the names differ from the previous line.
  /// Quantiles are printed as their median, names that contain "seconds" in microseconds, "bytes" with a
  /// unit. Other objects and arrays are not printed.
  void add(Json line);

  void write() const;

  const Json& all() const { return lines_; }

private:
  std::string file_;
  bool shows_;
  Json lines_ = Json::array();
  std::vector<std::string> head_;
};

} // namespace bench
