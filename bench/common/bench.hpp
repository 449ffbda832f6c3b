// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// What every benchmark uses: its command line, samples, tables and files.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

using Json = nlohmann::ordered_json;
using Samples = std::vector<double>;

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

inline std::string size_name(std::size_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024) ++unit;
  return fmt::format("{} {}", bytes, units[unit]);
}

/// Returns about three significant digits, without an exponent.
inline std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

struct Quantiles {
  double p10, median, p90;
};

/// JSON objects use this function when they get Quantiles as a value.
inline void to_json(Json& json, const Quantiles& of) {
  json = {{"p10", of.p10}, {"median", of.median}, {"p90", of.p90}};
}

/// Quantiles of at least one sample, interpolated between neighbours.
Quantiles quantiles(Samples samples);
std::vector<Quantiles> quantiles(const std::vector<Samples>& all);

inline double median(const Samples& samples) {
  return quantiles(samples).median;
}

/// Quantiles of a part of each sample, which consists of several numbers.
template <class Sample, class Part>
Quantiles quantiles(const std::vector<Sample>& samples, const Part& part) {
  Samples parts;
  for (const Sample& sample : samples) parts.push_back(std::invoke(part, sample));
  return quantiles(std::move(parts));
}

template <class Sample, class Part>
double median(const std::vector<Sample>& samples, const Part& part) {
  return quantiles(samples, part).median;
}

/// Takes samples of `ways` ways alternately, so that a disturbance affects all ways. Takes at least `least`
/// and at most `most` samples of each way, as long as goes_on() returns true. sample(i) returns one sample of
/// way i. If `reverses`, the order of the ways reverses every other time.
template <class Sample, class GoesOn>
auto take_alternately(std::size_t ways, std::size_t least, std::size_t most, const Sample& sample,
                      const GoesOn& goes_on, bool reverses = false) {
  std::vector<std::vector<decltype(sample(ways))>> samples(ways);
  do {
    const bool backwards = reverses && samples[0].size() % 2 == 1;
    for (std::size_t i = 0; i < ways; ++i) {
      const std::size_t way = backwards ? ways - 1 - i : i;
      samples[way].push_back(sample(way));
    }
  } while (samples[0].size() < least || (samples[0].size() < most && goes_on()));
  return samples;
}

/// The same, with `number` samples of each way.
template <class Sample>
auto take(std::size_t ways, int number, const Sample& sample, bool reverses = false) {
  const auto many = static_cast<std::size_t>(number);
  return take_alternately(
      ways, many, many, sample, [] { return false; }, reverses);
}

/// The same, after a sample of each way that warms up and does not count.
template <class Sample>
auto take_warm(std::size_t ways, int number, const Sample& sample) {
  auto samples = take(ways, number + 1, sample);
  for (auto& each : samples) each.erase(each.begin());
  return samples;
}

/// Writes `json` to a file, indented, unless the name is empty. Throws std::system_error if it cannot create
/// the file.
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

  void write() const {
    if (shows_) write_json(lines_, file_);
  }

  const Json& all() const { return lines_; }

private:
  std::string file_;
  bool shows_;
  Json lines_ = Json::array();
  std::vector<std::string> head_;
};

/// Divides time between measurements. Shows on standard error how many have begun: on a terminal on one line
/// that is overwritten, else one line for each.
class Progress {
public:
  /// `budget`: seconds for all measurements together.
  Progress(std::size_t total, double budget, bool on_terminal, bool shows)
      : total_(total), budget_(budget), on_terminal_(on_terminal), shows_(shows) {}

  /// Returns whether standard error is a terminal.
  static bool is_terminal();

  /// Reports that the next of `total` measurements begins. Returns its share of the time that is left: short
  /// measurements leave the rest to later ones.
  std::chrono::duration<double> begin(const std::string& what);

  /// Removes the line, so that the program can print.
  void clear();

private:
  std::size_t total_, begun_ = 0;
  std::chrono::duration<double> budget_;
  bool on_terminal_, shows_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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

  template <class Value>
  CLI::Option* add_number(const std::string& flag, Value& value, const std::string& help) {
    return add(flag, value, help, "N")->check(CLI::PositiveNumber.description(""));
  }

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
        ->check(CLI::Range(least, 8192 * MiB).description(""));
  }

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
