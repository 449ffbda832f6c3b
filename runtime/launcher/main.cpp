// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The program mpi_helper runs MPI programs with the library, and prints information about it. It is not
// linked to MPI, so that it works with any MPI.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "launcher/commands.hpp"
#include "launcher/manual.hpp"
#include "launcher/options.hpp"
#include "launcher/program.hpp"

namespace {

using namespace helper::launcher;

constexpr int wrong_usage = 2;

int print_once(const std::string& text) {
  if (is_first_process()) fmt::print("{}", text);
  return EXIT_SUCCESS;
}

int refuse(const std::string& text, const std::string& help) {
  if (is_first_process()) fmt::print(stderr, "mpi_helper: {}\nTry: {}\n", text, help);
  return wrong_usage;
}

/// Parses words, the first one first. CLI11 takes them from the end of a vector.
void parse(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);
  app.parse(std::move(words));
}

/// Returns the message about words that the parser does not know.
std::string unknown(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") continue;
    const auto* const meant = helper::settings::meant_by(variable_of(word));
    return word + ": no such option" +
           (meant != nullptr ? "; did you mean " + option_of(*meant) + "?" : std::string());
  }
  return "no such option";
}

/// Executes `mpi_helper run` or, if `advises`, `mpi_helper advise`, which has no options.
int run_command(const std::vector<std::string>& words, bool advises) {
  const char* const help = advises ? "mpi_helper advise --help" : "mpi_helper run --help";
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(count_options(words));
  const std::vector<std::string> command(begin, words.end());
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  bool wants_help = false;
  app.add_flag("-h,--help", wants_help);
  const Options options(app);
  try {
    parse(app, {words.begin(), begin});
    if (wants_help) return print_once(advises ? advise_help() : run_help());
    auto extras = app.remaining();
    std::erase(extras, "--");
    if (!extras.empty()) return refuse(unknown(extras), help);
    if (command.empty()) return refuse("no program is named", help);
    auto settings = options.settings();
    if (advises && !settings.empty()) return refuse("advise has no options", help);
    if (advises) settings.emplace("MPI_HELPER_ADVICE", "1");
    return run(settings, command);
  } catch (const CLI::Error& error) {
    return refuse(error.what(), help);
  } catch (const std::invalid_argument& error) {
    return refuse(error.what(), help);
  }
}

int generate(const std::string& what) {
  if (what == "mpi_helper.1") return print_once(manual_of_launcher());
  if (what == "mpi_helper-settings.7") return print_once(manual_of_settings());
  if (what == "completion") return print_once(completion());
  return refuse(what + ": nothing of that name is generated", "mpi_helper --help");
}

int other_command(const std::vector<std::string>& words) {
  CLI::App app("MPI Helper Teams: run MPI programs with helper threads, and see what these find here",
               "mpi_helper");
  app.set_version_flag("--version", "MPI Helper Teams " MPI_HELPER_VERSION);
  app.require_subcommand(1);
  app.add_subcommand(
      "run", "Run a program with the library that fits its MPI: mpi_helper run --threads 2 ./program");
  app.add_subcommand("advise", "Run a program natively, and show at the end what a team would save: "
                               "mpiexec -n 4 mpi_helper advise ./program");
  auto* const info_app =
      app.add_subcommand("info", "Show what the library finds and would do: mpiexec -n 4 mpi_helper info");
  bool shows_settings = false;
  bool shows_version = false;
  std::string level = "single";
  info_app->add_flag("--settings", shows_settings, "Print every setting, with values, default and meaning");
  info_app->add_flag("--version", shows_version, "Print the version and the MPIs that have a library");
  info_app->add_option(
      "--thread-level", level,
      "Initialise MPI at this level, as your program does: single, funneled, serialized or multiple");
  auto* const report_app =
      app.add_subcommand("report", "Write everything to attach to a problem report into one file");
  std::string path = "mpi_helper-report.txt";
  report_app->add_option("--output", path, "The file; default: " + path);
  auto* const generate_app = app.add_subcommand("generate")->group("");
  std::string what;
  generate_app->add_option("what", what)->required();
  try {
    parse(app, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == EXIT_SUCCESS) return is_first_process() ? app.exit(error) : EXIT_SUCCESS;
    return refuse(error.what(), "mpi_helper --help");
  }
  if (generate_app->parsed()) return generate(what);
  if (report_app->parsed()) return report(path);
  if (shows_version)
    return print_once(
        "MPI Helper Teams " MPI_HELPER_VERSION "\nLibraries for: " + describe(installed_libraries()) + "\n");
  if (shows_settings) return print_once(settings_text());
  constexpr std::string_view levels[] = {"single", "funneled", "serialized", "multiple"};
  if (std::ranges::find(levels, level) == std::end(levels))
    return refuse("--thread-level=" + level + ": expected single, funneled, serialized or multiple",
                  "mpi_helper info --help");
  return info(level);
}

} // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    const bool advises = !words.empty() && words.front() == "advise";
    if (words.empty() || (words.front() != "run" && !advises)) return other_command(words);
    words.erase(words.begin());
    return run_command(words, advises);
  } catch (const std::exception& error) {
    say(error.what());
    return EXIT_FAILURE;
  }
}
