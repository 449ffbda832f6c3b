// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace bench::report {

std::string Results::text(const std::string& file) const {
  for (const std::string& folder : folders_) {
    std::ifstream in(folder + "/" + file);
    if (in) return {std::istreambuf_iterator<char>(in), {}};
  }
  return "";
}

std::optional<nlohmann::json> Results::json(const std::string& name) const {
  const std::string content = text(name + ".json");
  if (content.empty()) return std::nullopt;
  return nlohmann::json::parse(content);
}

std::optional<nlohmann::json> Results::json(const std::string& name, Page& page) const {
  auto found = json(name);
  if (!found) page.missing("Not measured: " + name + ".", source(name).command);
  return found;
}

std::string Results::line(const std::string& file, int number) const {
  std::istringstream in(text(file));
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(in, line)) return "";
  return line;
}

Source Results::source(const std::string& name) const {
  return {line(name + ".command", 1), line(name + ".command", 2)};
}

} // namespace bench::report
