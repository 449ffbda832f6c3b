// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "settings/settings.hpp"
#include "support/catch.hpp"

using namespace helper::settings;

TEST_CASE("Unset variables have the documented defaults") {
  const Settings settings = read({});
  REQUIRE(settings.threads == 0);
  REQUIRE_FALSE(settings.openmp);
  REQUIRE(settings.placement == "none");
  REQUIRE_FALSE(settings.spin.has_value());
  REQUIRE(settings.staging == 10 * 1024 * 1024);
  REQUIRE(settings.arena == 64 * 1024 * 1024);
  REQUIRE(settings.algorithm == "auto");
  REQUIRE_FALSE(settings.user_operations_by_team);
  REQUIRE(settings.stall_report == std::chrono::seconds(60));
  REQUIRE_FALSE(settings.stall_report_is_set);
  REQUIRE_FALSE(settings.report);
}

TEST_CASE("Variables are read with their units") {
  const Settings settings = read({{"MPI_HELPER_THREADS", "4"},
                                  {"MPI_HELPER_SPIN", "250"},
                                  {"MPI_HELPER_STAGING", "2M"},
                                  {"MPI_HELPER_ARENA", "0"},
                                  {"MPI_HELPER_CHUNK", "64KiB"},
                                  {"MPI_HELPER_STALL_REPORT", "10"},
                                  {"MPI_HELPER_USER_OPERATIONS", "team"},
                                  {"MPI_HELPER_REPORT", "1"}});
  REQUIRE(settings.threads == 4);
  REQUIRE(settings.spin == std::chrono::microseconds(250));
  REQUIRE(settings.staging == 2 * 1024 * 1024);
  REQUIRE(settings.arena == 0);
  REQUIRE(settings.chunk == 64 * 1024);
  REQUIRE(settings.stall_report == std::chrono::seconds(10));
  REQUIRE(settings.stall_report_is_set);
  REQUIRE(settings.user_operations_by_team);
  REQUIRE(settings.report);
}

TEST_CASE("The program's own threads are one thread of the library's") {
  const Settings settings = read({{"MPI_HELPER_THREADS", "openmp"}});
  REQUIRE(settings.openmp);
  REQUIRE(settings.threads == 1);
}

TEST_CASE("Malformed values are reported with name, value and what is accepted") {
  const std::vector<std::pair<std::string, std::string>> malformed{
      {"MPI_HELPER_THREADS", "-1"}, {"MPI_HELPER_THREADS", "OpenMP"},     {"MPI_HELPER_SPIN", "1.5"},
      {"MPI_HELPER_STAGING", "1"},  {"MPI_HELPER_CHUNK", "9999999999G"},  {"MPI_HELPER_CHUNK", "64iB"},
      {"MPI_HELPER_CHUNK", "KiB"},  {"MPI_HELPER_REPORT", "2"},           {"MPI_HELPER_STALL_REPORT", ""},
      {"MPI_HELPER_SPIN", "abc"},   {"MPI_HELPER_USER_OPERATIONS", "all"}};
  for (const auto& [name, value] : malformed) {
    REQUIRE_THROWS_AS(read({{name, value}}), std::invalid_argument);
    REQUIRE_THROWS_WITH(read({{name, value}}), Catch::StartsWith(name + "=" + value + ": expected "));
  }
  REQUIRE_THROWS_WITH(read({{"MPI_HELPER_SPIN", "abc"}}),
                      Catch::EndsWith("a whole number from 0 to 1000000000, or auto"));
}

TEST_CASE("Names that are nearly those of settings are reported") {
  for (const std::string name : {"MPI_HELPER_THREAD", "MPI_HELPER_THREADSS", "MPI_HELPER_THREEADS",
                                 "MPI_HELPER_TREADS", "MPI_HELPER_THREADZ", "MPI_HELPER_XHREADS",
                                 "MPI_HELPER_TRHEADS", "MPI_HELPER_HTREADS", "MPI_HELPER_THREASD"}) {
    REQUIRE_THROWS_WITH(read({{name, "4"}}), name + "=4: no such setting; did you mean MPI_HELPER_THREADS?");
  }
}

TEST_CASE("Names that differ in more than a slip are not taken for settings") {
  for (const std::string name : {"MPI_HELPER_THRAEDSS", "MPI_HELPER_SHREADT", "MPI_HELPER_VERBOSE"})
    REQUIRE(meant_by(name) == nullptr);
}

TEST_CASE("Switches are set by numbers and words") {
  for (const std::string on : {"1", "on", "yes"}) REQUIRE(read({{"MPI_HELPER_STATS", on}}).stats);
  for (const std::string off : {"0", "off", "no"}) REQUIRE_FALSE(read({{"MPI_HELPER_STATS", off}}).stats);
  REQUIRE_THROWS_WITH(read({{"MPI_HELPER_STATS", "2"}}),
                      Catch::EndsWith("expected 0 or 1, off or on, no or yes"));
}

TEST_CASE("Bounds in bytes are printed with their suffix") {
  REQUIRE_THROWS_WITH(read({{"MPI_HELPER_ARENA", "10X"}}),
                      Catch::Contains("a number of bytes from 0 to 64G, "));
  REQUIRE_THROWS_WITH(read({{"MPI_HELPER_CHUNK", "0"}}),
                      Catch::Contains("a number of bytes from 1K to 1G, "));
}

TEST_CASE("Names that are no settings are listed") {
  const Environment environment{{"MPI_HELPER_SPIN", "7"}, {"MPI_HELPER_ROOT", "/opt"}, {"MPI_HELPER_", ""}};
  REQUIRE_NOTHROW(read(environment));
  const auto lines = describe(environment);
  REQUIRE(lines.size() == variables().size() + 2);
  REQUIRE_THAT(lines, Catch::VectorContains(std::string("MPI_HELPER_SPIN=7 (environment)")));
  REQUIRE_THAT(lines, Catch::VectorContains(std::string("MPI_HELPER_CHUNK=512K (default)")));
  REQUIRE_THAT(lines, Catch::VectorContains(std::string("MPI_HELPER_ROOT=/opt (no setting)")));
}

/// Returns the generated part of docs/settings.md, which has a heading for each purpose and for each setting.
std::string documentation() {
  std::string text;
  std::string_view purpose;
  for (const Variable& variable : variables()) {
    if (purpose != variable.purpose) text += std::string("\n## ") + variable.purpose + "\n";
    purpose = variable.purpose;
    text += std::string("\n### ") + variable.name + "\n\n" + variable.meaning +
            "\n\nValues: " + variable.unit + ". Default: `" + variable.fallback + "`.\n";
  }
  return text + "\n";
}

// If SETTINGS_WRITE=1 is set, the test writes the page.
TEST_CASE("docs/settings.md has every setting with its default, values and meaning") {
  std::ifstream file(SETTINGS_PAGE);
  std::stringstream content;
  content << file.rdbuf();
  std::string page = content.str();
  const std::string first = "<!-- settings:begin -->\n";
  const auto begin = page.find(first);
  const auto end = page.find("<!-- settings:end -->");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t written = begin + first.size();
  if (std::getenv("SETTINGS_WRITE") != nullptr) {
    std::ofstream(SETTINGS_PAGE) << page.replace(written, end - written, documentation());
    return;
  }
  CHECK(page.substr(written, end - written) == documentation());
}
