// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace bench {
namespace {

struct Cell {
  std::string name, text;
  std::size_t width;
};

std::string text_of(const std::string& name, const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) return text_of(name, value.at("median"));
  if (name.ends_with("bytes") && value.is_number_integer()) return size_name(value.get<std::size_t>());
  if (!value.is_number_float()) return value.dump();
  return digits(value.get<double>() * (name.starts_with("seconds") ? 1e6 : 1));
}

std::vector<Cell> cells_of(const Json& line) {
  std::vector<Cell> cells;
  for (const auto& [name, value] : line.items()) {
    if (value.is_array() || (value.is_object() && !value.contains("median"))) continue;
    std::string title = name.starts_with("seconds") ? "us" + name.substr(7) : name;
    const std::size_t width = std::max<std::size_t>(title.size(), value.is_string() ? 20 : 8);
    cells.push_back({std::move(title), text_of(name, value), width});
  }
  return cells;
}

} // namespace

Quantiles quantiles(Samples samples) {
  std::ranges::sort(samples);
  const auto at = [&](double fraction) {
    const double position = fraction * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    return std::lerp(samples[below], samples[std::min(below + 1, samples.size() - 1)],
                     position - std::floor(position));
  };
  return {at(0.1), at(0.5), at(0.9)};
}

std::vector<Quantiles> quantiles(const std::vector<Samples>& all) {
  std::vector<Quantiles> made;
  for (const Samples& each : all) made.push_back(quantiles(each));
  return made;
}

void write_json(const Json& json, const std::string& file) {
  if (file.empty()) return;
  std::ofstream out(file);
  if (!out) throw std::system_error(errno, std::generic_category(), file);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << json.dump(2) << '\n';
}

void Lines::add(Json line) {
  if (!shows_) return;
  const std::vector<Cell> cells = cells_of(line);
  std::vector<std::string> head;
  for (const Cell& cell : cells) head.push_back(cell.name);
  const auto print = [&](auto member) {
    for (const Cell& cell : cells) fmt::print("{:{}}  ", cell.*member, cell.width);
    fmt::print("\n");
  };
  if (head != head_) print(&Cell::name);
  print(&Cell::text);
  std::fflush(stdout); // mpiexec makes standard output a pipe, which stdio buffers
  head_ = std::move(head);
  lines_.push_back(std::move(line));
}

bool Progress::is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

std::chrono::duration<double> Progress::begin(const std::string& what) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const auto share = (budget_ - elapsed) / static_cast<double>(total_ - begun_++);
  clear();
  if (shows_)
    fmt::print(stderr, "[{:3}/{}] {:4.0f} s  {}{}", begun_, total_, elapsed.count(), what,
               on_terminal_ ? "" : "\n");
  std::fflush(stderr);
  return share;
}

void Progress::clear() {
  if (shows_ && on_terminal_) fmt::print(stderr, "\r\033[K");
}

int Program::run(int argc, char** argv, const std::function<void()>& run) {
  try {
    parse(argc, argv);
    run();
  } catch (const CLI::ParseError& answer) { // --help, too
    return exit(answer);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", get_name(), error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace bench
