// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "output.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

namespace bench {
namespace {

struct Cell {
  std::string name, text;
  std::size_t width;
};

std::string text_of(const std::string& name, const Json& value) {
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

void write_json(const Json& json, const std::string& file) {
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

void Lines::write() const {
  if (shows_ && !file_.empty()) write_json(lines_, file_);
}

} // namespace bench
