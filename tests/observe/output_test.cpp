// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What program.cpp has observed in a run must equal the table of MPI_HELPER_STATS.

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "support/catch.hpp"

namespace {

std::ifstream file_of(const char* variable, const std::string& ending = "") {
  const char* const path = std::getenv(variable);
  REQUIRE(path != nullptr);
  std::ifstream file(path + ending);
  REQUIRE(file.good());
  return file;
}

/// Returns the observed values, added over the ranks.
std::map<std::string, double> observed() {
  std::map<std::string, double> values;
  for (const char* const rank : {"0", "1"}) {
    auto file = file_of("TEST_OBSERVED", rank);
    std::string name;
    double value = 0;
    while (file >> name >> value) values[name] += value;
  }
  return values;
}

double number(const std::string& text) {
  return text == "-" ? 0 : std::stod(text);
}

/// Returns whether `value` can be shown as `text` in the unit of the table, after rounding.
bool is_shown(double value, const std::string& text, const std::string& unit) {
  const std::map<std::string, double> units{{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}};
  const double one = units.at(unit);
  return value >= (number(text) - 0.051) * one && value <= (number(text) + 0.051) * one;
}

} // namespace

TEST_CASE("Performance variables are the sums of the table, by function and together") {
  const auto values = observed();
  std::map<std::string, double> together;
  int functions = 0;
  const std::string count = " +(-|[0-9]+)";
  const std::regex pattern("  (MPIX?_[A-Za-z_]+)" + count + count + count + count +
                           " +(-|[0-9.]+)(?: ([KM]?i?B))? +([0-9.]+) +([0-9.]+)");
  const std::regex chunks("chunks: ([0-9]+) by callers(?:, none by helpers|(?:, ([0-9]+) by helper [0-9]+)?"
                          "(?:, ([0-9]+) by helper [0-9]+)?)");
  std::map<std::string, double> shown; // chunks of each function, by callers and by helpers
  std::string function;
  auto table = file_of("TEST_TABLE");
  for (std::string line; std::getline(table, line);) {
    std::smatch match;
    if (std::regex_search(line, match, chunks)) {
      shown["own_chunks_" + function] = number(match[1]);
      shown["helped_chunks_" + function] =
          (match[2].matched ? number(match[2]) : 0) + (match[3].matched ? number(match[3]) : 0);
    }
    if (!std::regex_match(line, match, pattern)) continue;
    INFO(line);
    ++functions;
    function = match[1];
    const auto of_function = [&](const std::string& quantity) {
      const double value = values.at("mpi_helper_" + quantity + "_" + function);
      together[quantity] += value;
      return value;
    };
    shown["own_chunks_" + function] = shown["helped_chunks_" + function] = 0;
    CHECK(of_function("calls_carried") == number(match[3]));
    CHECK(of_function("calls_lent") == number(match[4]));
    CHECK(of_function("calls_native") == number(match[5]));
    CHECK(is_shown(of_function("bytes"), match[6], match[7]));
    of_function("own_chunks");
    of_function("helped_chunks");
    // The table has mean times of the ranks that call a function, in milliseconds. Large ones are rounded.
    const int ranks = function == "MPI_Send" || function == "MPI_Recv" ? 1 : 2;
    const auto is_mean = [&](const std::string& quantity, const std::string& text) {
      const double margin = number(text) < 10 ? 0.001 : number(text) < 1000 ? 0.051 : 0.51;
      CHECK(of_function(quantity) * 1000 / ranks == Approx(number(text)).margin(margin));
    };
    is_mean("time", match[8]);
    is_mean("waiting", match[9]);
  }
  for (const auto& [quantity, sum] : shown) {
    INFO(quantity);
    CHECK(values.at("mpi_helper_" + quantity) == sum);
  }
  CHECK(functions >= 5);
  for (const auto& [quantity, sum] : together) {
    INFO(quantity);
    CHECK(values.at("mpi_helper_" + quantity) == Approx(sum));
  }
  CHECK(values.at("mpi_helper_calls_carried_MPI_Allreduce") == 10);
}
