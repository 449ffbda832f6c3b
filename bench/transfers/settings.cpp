// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "settings.hpp"

#include "jobs/peers.hpp"
#include "types.hpp"

#include <CLI/CLI.hpp>

#include <set>
#include <unistd.h>

namespace bench {
namespace {

constexpr auto description =
    R"(One-way transfers of data, contiguous or not, from rank 0 to rank 1 on this machine: the native MPI,
others, and helper teams, in turns on the same cores.

The time of a transfer is that from MPI_Send until the receiver's empty answer is there. Before each, both
ranks write to their buffers. Shown are medians; the ratios say how many times as fast as the native MPI each
of the others is. The results of all are checked before they are timed.)";

std::set<std::string> family_names() {
  std::set<std::string> names;
  for (const TypeFamily& family : type_families()) names.insert(family.name);
  return names;
}

} // namespace

void add_options(CLI::App& app, Settings& settings) {
  app.name("transfers");
  app.description(description);
  app.get_formatter()->column_width(24);
  if (isatty(STDERR_FILENO)) settings.progress = ProgressStyle::terminal;
  const auto silent = [](CLI::Validator validator) { return validator.description(""); };
  std::string help = "Which of:";
  for (const TypeFamily& family : type_families()) help += std::string("\n  ") + family.name;
  app.add_option("--types", settings.types, help)
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::IsMember(family_names())));
  app.add_option("--sizes", settings.sizes, "Bytes of data; default: 64KiB,512KiB,4MiB,16MiB")
      ->delimiter(',')
      ->type_name("LIST")
      ->transform(silent(CLI::AsSizeValue(false)))
      ->check(silent(CLI::Range(std::size_t{1} << 10, std::size_t{1} << 30)));
  app.add_option("--teams", settings.teams, "Team sizes; default: 1,2")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(silent(CLI::Range(1, 1024)));
  add_peers(app, settings.peers);
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 120")
      ->type_name("SECONDS")
      ->check(silent(CLI::PositiveNumber));
  app.add_option("--json", settings.json, "Write everything measured to this file")->type_name("FILE");
}

} // namespace bench
