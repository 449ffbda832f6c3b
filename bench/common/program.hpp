// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/output.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

/// The command line of a benchmark. The options write to variables that outlive run() or run_ranks(). --help
/// shows their values as defaults.
class Program : public CLI::App {
public:
  Program(const std::string& name, const std::string& description) : CLI::App(description, name) {
    get_formatter()->column_width(24);
  }
  /// With an option --json for the file of the results.
  Program(const std::string& name, const std::string& description, std::string& json)
      : Program(name, description) {
    add_json(json);
  }

  /// Adds an option. A vector takes values separated by commas.
  template <class Value>
  CLI::Option* add(const std::string& flag, Value& value, const std::string& help,
                   const std::string& type = "TEXT") {
    CLI::Option* const option = add_option(flag, value, help)->type_name(type);
    if constexpr (requires { value.push_back({}); } && !std::is_same_v<Value, std::string>) {
      option->delimiter(',')->type_name(type + ",...");
      if (value.empty()) return option;
    }
    return option->capture_default_str();
  }

  /// Positive numbers.
  template <class Value>
  CLI::Option* add_number(const std::string& flag, Value& value, const std::string& help) {
    return add(flag, value, help, "N")->check(CLI::PositiveNumber.description(""));
  }

  /// Adds an option that takes numbers from `least` to `most`.
  template <class Value, class Limit>
  CLI::Option* add_range(const std::string& flag, Value& value, const std::string& help, Limit least,
                         Limit most) {
    return add(flag, value, help, "N")->check(CLI::Range(least, most).description(""));
  }

  /// Adds an option that takes sizes in bytes, such as 8 or 64KiB.
  template <class Value>
  CLI::Option* add_bytes(const std::string& flag, Value& value, const std::string& help,
                         std::size_t least = sizeof(double)) {
    return add(flag, value, help, "BYTES")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->check(CLI::Range(least, std::size_t{8} << 30).description(""));
  }

  /// Some of `names`.
  template <class Value, class Names>
  CLI::Option* add_choice(const std::string& flag, Value& value, const std::string& help,
                          const Names& names) {
    return add(flag, value, help, "NAME")->check(CLI::IsMember(names).description(""));
  }

  void add_teams(std::vector<int>& teams) { add_range("--teams", teams, "Sizes of teams", 1, 1024); }
  void add_repetitions(int& number) { add_range("--repetitions", number, "Samples of each", 1, 1000); }
  void add_budget(double& seconds) {
    add_number("--budget", seconds, "Seconds for all measurements together");
  }

  /// For a program that runs without mpiexec. Parses the command line, calls `run`, and returns the exit
  /// status. If `run` throws, prints the exception and returns failure.
  int run(int argc, char** argv, const std::function<void()>& run);

  /// For a program that mpiexec launches. Initialises MPI at level FUNNELED, calls `run` with the rank, and
  /// finalises MPI. Only rank 0 prints help and errors of the command line. An exception of `run` aborts the
  /// job.
  int run_ranks(int argc, char** argv, const std::function<void(int rank)>& run);

  /// The same with an option --json, for the file to which all lines that `run` adds are written. Of ranks,
  /// rank 0 shows and writes its lines.
  int run(int argc, char** argv, const std::function<void(Lines&)>& run) {
    std::string file;
    add_json(file);
    return this->run(argc, argv, [&] { write_lines(file, true, run); });
  }
  int run_ranks(int argc, char** argv, const std::function<void(int rank, Lines&)>& run) {
    std::string file;
    add_json(file);
    return run_ranks(
        argc, argv, [&](int rank) { write_lines(file, rank == 0, [&](Lines& lines) { run(rank, lines); }); });
  }

private:
  void add_json(std::string& file) {
    add_option("--json", file, "Write all results to this file")->type_name("FILE")->take_last();
  }
  static void write_lines(const std::string& file, bool shows, const std::function<void(Lines&)>& run) {
    Lines lines(file, shows);
    run(lines);
    lines.write();
  }
};

} // namespace bench
