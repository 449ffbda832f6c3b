// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "launcher/manual.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "launcher/options.hpp"
#include "settings/settings.hpp"

namespace helper::launcher {

namespace {

using settings::Variable;

constexpr std::size_t columns = 80;

constexpr const char* about_run =
    "Runs a program with the library preloaded. It finds out which MPI the program is linked to, adds the "
    "installed library that fits to LD_PRELOAD, sets what the options say, and becomes the program. Where no "
    "library fits, it prints one line and runs the program natively.";
constexpr const char* about_environment =
    "Each option sets the environment variable of the same name: --stall-report 5 is "
    "MPI_HELPER_STALL_REPORT=5. A variable that is set stays as it is unless an option says otherwise.";
constexpr const char* about_advise =
    "Runs a program natively and measures its MPI calls. In MPI_Finalize it repeats the heaviest of them, "
    "natively and with teams, which takes some tenths of a second. Rank 0 then prints one screen: what the "
    "time in MPI went into, the calls that a team can carry, idle cores, the seconds that teams would save, "
    "and the command to try.";
constexpr const char* about_info =
    "Prints what the library finds and would do in a program that is launched in the same way: versions, "
    "settings, and for each rank its machine, its cores and the memory that it shares.";
constexpr const char* about_report =
    "Writes everything to attach to a problem report into one file, mpi_helper-report.txt or the file that "
    "--output names: versions, MPI, settings, topology, limits, /dev/shm, and the output of info.";
constexpr const char* about_scripts =
    "A script, or a program such as python3 that runs scripts, may load any MPI. run then takes the MPI "
    "whose launcher has started it, or the only one that has a library, and prints what it has assumed.";

/// Commands and what they are for.
constexpr std::pair<const char*, const char*> examples[] = {
    {"mpiexec -n 4 mpi_helper run --threads 2 ./program", "A helper thread in each process."},
    {"mpiexec -n 4 mpi_helper run --openmp --stats ./program",
     "The OpenMP threads of the program help; a table at the end shows with what."},
    {"srun -n 4 mpi_helper run --threads 2 --trace trace.json ./program", "Under Slurm, with a timeline."},
    {"mpiexec -n 4 mpi_helper advise ./program", "Would a team help, where, and how much?"},
    {"mpi_helper info --settings", "All settings."},
    {"mpiexec -n 4 mpi_helper info", "What the library finds here."},
};

/// Returns the first sentence of the description of a setting.
std::string_view summary(const Variable& variable) {
  const std::string_view meaning = variable.meaning;
  return meaning.substr(0, meaning.find(". "));
}

std::string usage_of(const Variable& variable) {
  const std::string value = value_of(variable);
  return option_of(variable) + (value.empty() ? "" : " " + value);
}

/// Returns the text for man. It escapes minus signs, which man takes for hyphens, and a point or an
/// apostrophe at the start of a line, which man takes for a request.
std::string for_man(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '-' || letter == '\\') escaped += '\\';
    escaped += letter == '\\' ? 'e' : letter;
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped + "\n";
}

std::string heading(std::string_view name, int section, std::string_view purpose) {
  return fmt::format(".TH {} {} \"\" \"MPI Helper Teams {}\"\n.SH NAME\n{} \\- {}\n", name, section,
                     MPI_HELPER_VERSION, name, purpose);
}

} // namespace

std::string wrapped(std::string_view text, std::string_view indentation, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (column != 0 && column + 1 + word.size() > width) {
      lines += '\n';
      column = 0;
    }
    const std::string_view before = column == 0 ? indentation : std::string_view(" ");
    lines += before;
    lines += word;
    column += before.size() + word.size();
  }
  return lines + "\n";
}

std::string settings_text() {
  std::string text = "Settings: environment variables, and options of mpi_helper run\n";
  for (const Variable& variable : settings::variables()) {
    text += fmt::format("\n{}, {}\n  values: {}; default: {}\n", variable.name, usage_of(variable),
                        variable.unit, variable.fallback);
    text += wrapped(variable.meaning, "  ", columns);
  }
  return text;
}

std::string run_help() {
  std::string text =
      wrapped(about_run, "", columns) + "\nUsage: mpi_helper run [OPTION...] PROGRAM [ARGUMENT...]\n\n";
  text += wrapped(about_environment, "", columns) + "\n";
  for (const Variable& variable : settings::variables()) {
    text += fmt::format("  {}\n", usage_of(variable)) + wrapped(summary(variable), "      ", columns);
    if (std::string_view(variable.name) == "MPI_HELPER_THREADS")
      text += "  --openmp\n      The same as --threads openmp\n";
  }
  return text + "  --help\n      Print this\n\nmpi_helper info --settings prints values, defaults and all "
                "details.\n";
}

std::string advise_help() {
  return wrapped(about_advise, "", columns) + "\nUsage: mpi_helper advise PROGRAM [ARGUMENT...]\n";
}

std::string manual_of_launcher() {
  std::string page = heading("mpi_helper", 1, "run an MPI program with helper teams");
  page += ".SH SYNOPSIS\n.B mpi_helper run\n[\\fIoption\\fR...] \\fIprogram\\fR [\\fIargument\\fR...]\n.br\n"
          ".B mpi_helper advise\n\\fIprogram\\fR [\\fIargument\\fR...]\n.br\n"
          ".B mpi_helper info\n[\\fB\\-\\-settings\\fR] [\\fB\\-\\-thread\\-level\\fR \\fIlevel\\fR]\n.br\n"
          ".B mpi_helper report\n[\\fB\\-\\-output\\fR \\fIfile\\fR]\n.br\n.B mpi_helper \\-\\-version\n.SH "
          "DESCRIPTION\n";
  page += ".SS run\n" + for_man(about_run) + ".PP\n" + for_man(about_environment) + ".PP\n" +
          for_man(about_scripts);
  page += ".SS advise\n" + for_man(about_advise);
  page +=
      ".SS info\n" + for_man(about_info) + ".SS report\n" + for_man(about_report) + ".SH OPTIONS OF RUN\n";
  for (const Variable& variable : settings::variables()) {
    page += ".TP\n.B " + for_man(usage_of(variable)) + for_man(summary(variable));
    if (std::string_view(variable.name) == "MPI_HELPER_THREADS")
      page += ".TP\n.B \\-\\-openmp\nThe same as \\-\\-threads openmp\n";
  }
  page += ".SH EXIT STATUS\nThat of the program. 2: the options are wrong. 126: the program cannot be run. "
          "127: there is no such program.\n.SH EXAMPLES\n";
  for (const auto& [command, meaning] : examples) page += ".TP\n.B " + for_man(command) + for_man(meaning);
  return page + ".SH SEE ALSO\nmpi_helper\\-settings(7)\n";
}

std::string manual_of_settings() {
  std::string page = heading("mpi_helper-settings", 7, "environment variables of MPI Helper Teams");
  page += ".SH DESCRIPTION\n" +
          for_man("The library reads these variables in MPI_Init. mpi_helper run has an option for "
                  "each of them. A value that is not accepted makes MPI_Init fail, with a message "
                  "that says which values are.") +
          ".SH SETTINGS\n";
  for (const Variable& variable : settings::variables()) {
    page += fmt::format(".TP\n.B {}\n{}.br\n{}.br\n", variable.name,
                        for_man(fmt::format("Values: {}; default: {}.", variable.unit, variable.fallback)),
                        for_man("Option: " + usage_of(variable)));
    page += for_man(variable.meaning);
  }
  return page + ".SH SEE ALSO\nmpi_helper(1)\n";
}

std::string completion() {
  std::string options = "--help --openmp";
  std::string files;
  for (const Variable& variable : settings::variables()) {
    options += " " + option_of(variable);
    if (value_of(variable) == "FILE") files += (files.empty() ? "" : "|") + option_of(variable);
  }
  return fmt::format(R"(# Completion for bash: source it, or put it into bash-completion's folder.
_mpi_helper() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "run advise info report --help --version" -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}}:$word in
    run:-*) mapfile -t COMPREPLY < <(compgen -W "{}" -- "$word") ;;
    info:*) mapfile -t COMPREPLY < <(compgen -W "--settings --thread-level --help" -- "$word") ;;
    report:-*) mapfile -t COMPREPLY < <(compgen -W "--output --help" -- "$word") ;;
    advise:*) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
    run:*)
      case $before in
        {}) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
      esac
      ;;
  esac
}}
complete -o filenames -F _mpi_helper mpi_helper
)",
                     options, files);
}

} // namespace helper::launcher
