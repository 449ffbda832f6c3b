// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "output.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <system_error>

namespace bench {

std::ofstream create_file(const std::string& file) {
  std::ofstream out(file);
  if (!out) throw std::system_error(errno, std::generic_category(), file);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  return out;
}

void write_json(const nlohmann::ordered_json& json, const std::string& file) {
  create_file(file) << json.dump(2) << '\n';
}

} // namespace bench
