// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"

#include <fstream>
#include <iterator>

namespace bench::report {

std::string Results::text(const std::string& file) const {
  std::ifstream in(folder_ + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<nlohmann::json> Results::json(const std::string& name) const {
  const std::string content = text(name + ".json");
  if (content.empty()) return std::nullopt;
  return nlohmann::json::parse(content);
}

std::optional<nlohmann::json> Results::json(const std::string& name, Page& page) const {
  auto found = json(name);
  if (!found) page.missing("Not measured: " + name + ".", command(name));
  return found;
}

std::string Results::command(const std::string& name) const {
  const std::string content = text(name + ".command");
  return content.substr(0, content.find('\n'));
}

} // namespace bench::report
