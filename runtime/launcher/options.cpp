// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "launcher/options.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>

namespace helper::launcher {

namespace {

constexpr std::string_view prefix = "MPI_HELPER_";
constexpr const char* openmp_option = "--openmp";

bool is_switch(const settings::Variable& variable) {
  return std::string_view(variable.unit) == "0 or 1";
}

} // namespace

std::string option_of(const settings::Variable& variable) {
  std::string option = "--";
  for (const char letter : std::string_view(variable.name).substr(prefix.size()))
    option += letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return option;
}

std::string variable_of(std::string_view option) {
  std::string name(prefix);
  option.remove_prefix(std::min<std::size_t>(2, option.size()));
  for (const char letter : option.substr(0, option.find('=')))
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

std::string value_of(const settings::Variable& variable) {
  if (is_switch(variable)) return {};
  const std::string_view unit = variable.unit;
  if (unit.find("file") != unit.npos) return "FILE";
  if (unit == "bytes") return "BYTES";
  if (unit.starts_with("threads") || unit == "spans") return "N";
  if (unit == "seconds") return "SECONDS";
  if (unit.starts_with("microseconds")) return "MICROSECONDS";
  return "WORD";
}

Options::Options(CLI::App& app) {
  for (const settings::Variable& variable : settings::variables()) {
    std::string& text = texts_[variable.name];
    const std::string option = option_of(variable);
    CLI::Option* const added = is_switch(variable) ? app.add_flag(option + "{1}", text, variable.meaning)
                                                   : app.add_option(option, text, variable.meaning);
    given_.emplace_back(&variable, added);
  }
  app.add_flag(openmp_option, openmp_, "The same as --threads openmp");
}

std::map<std::string, std::string> Options::settings() const {
  std::map<std::string, std::string> made;
  for (const auto& [each, option] : given_) {
    if (option->count() == 0) continue;
    const settings::Variable* const variable = each; // a lambda cannot capture a structured binding
    const std::string& text = texts_.find(variable->name)->second;
    settings::Settings unused{};
    settings::parsed(option_of(*variable), text,
                     [&](const std::string& set) { variable->assign(unused, set); });
    made.emplace(variable->name, text);
  }
  if (openmp_ && !made.emplace("MPI_HELPER_THREADS", "openmp").second)
    throw std::invalid_argument(
        "--openmp is the same as --threads openmp: give only one of --openmp and --threads");
  return made;
}

std::size_t count_options(const std::vector<std::string>& words) {
  std::size_t count = 0;
  while (count < words.size()) {
    const std::string& word = words[count];
    if (!word.starts_with('-') || word == "-") return count;
    ++count;
    if (word == "--") return count;
    for (const settings::Variable& variable : settings::variables()) {
      if (word == option_of(variable) && !is_switch(variable) && count < words.size()) ++count;
    }
  }
  return count;
}

} // namespace helper::launcher
