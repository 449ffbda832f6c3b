// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "launcher/commands.hpp"
#include "launcher/program.hpp"

namespace helper::launcher {

namespace {

// Exit statuses, as a shell returns them.
constexpr int cannot_run = 126;
constexpr int not_found = 127;

constexpr const char* natively = "; it runs natively";

/// Executes the program in this process. Returns if that fails.
int become(const std::string& path, const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  if (errno == ENOEXEC) { // a script whose first line names no interpreter
    words.insert(words.begin(), const_cast<char*>("sh"));
    words[1] = const_cast<char*>(path.c_str());
    execv("/bin/sh", words.data());
  }
  say(path + ": " + std::strerror(errno));
  return errno == ENOENT ? not_found : cannot_run;
}

const char* name_of(StartedBy starter) {
  return starter == StartedBy::open_mpi ? "Open MPI" : "MPICH";
}

/// Returns whether the job's launcher may have started a program for the MPI with the soname `mpi`. MPICH's
/// launcher starts programs for MPIs with MPICH's ABI and for the standard ABI, but not for Open MPI.
bool may_start(StartedBy starter, const std::string& mpi) {
  return (name_of_mpi(mpi) == "Open MPI") == (starter == StartedBy::open_mpi);
}

/// Returns the library for the MPI of the job's launcher, or the only library. `why` gets the reason.
std::optional<Library> library_by_launcher(const std::vector<Library>& libraries, std::string& why) {
  const StartedBy starter = started_by();
  if (starter == StartedBy::unknown) {
    if (libraries.size() != 1) return std::nullopt;
    why = "the only one with an installed library";
    return libraries.front();
  }
  const auto fits = std::ranges::find_if(
      libraries, [starter](const Library& library) { return may_start(starter, library.mpi); });
  if (fits == libraries.end()) return std::nullopt;
  why = std::string("since the launcher is that of ") + name_of(starter);
  return *fits;
}

/// Returns the library that fits the program. If there is none, prints why and returns nothing.
std::optional<Library> choose(const Program& program, const std::vector<Library>& libraries) {
  switch (program.kind) {
  case Program::Kind::other:
    say(program.path + " is not linked to MPI" + natively);
    return std::nullopt;
  case Program::Kind::static_mpi:
    say(program.path + " is statically linked, so that no library can be preloaded" + natively);
    return std::nullopt;
  case Program::Kind::mpi: {
    const auto fits = std::ranges::find(libraries, program.mpi, &Library::mpi);
    if (fits != libraries.end()) return *fits;
    say(program.path + " uses " + name_of_mpi(program.mpi) + " (" + program.mpi +
        "), for which no library is installed" + natively + ". Installed: " + describe(libraries));
    return std::nullopt;
  }
  case Program::Kind::interpreter:
    break;
  }
  std::string why;
  auto found = library_by_launcher(libraries, why);
  const std::string what =
      program.path +
      (program.interpreter.empty() ? " runs scripts" : " is a script for " + program.interpreter);
  if (found)
    say(what + ": assumed to use " + name_of_mpi(found->mpi) + ", " + why);
  else
    say(what + ": it is not known which MPI it uses" + natively + ". Installed: " + describe(libraries));
  return found;
}

/// Appends the library to LD_PRELOAD, after tools that LD_PRELOAD names already. Prints why if it cannot.
void preload(const std::string& path) {
  if (path.find_first_of(" :") != path.npos)
    return say(path + ": LD_PRELOAD allows no space and no colon in a path" + natively);
  const char* const set = std::getenv("LD_PRELOAD");
  const std::string before = set != nullptr ? set : "";
  if (before.find("libmpi_helper") != before.npos) return;
  setenv("LD_PRELOAD", (before.empty() ? path : before + ":" + path).c_str(), 1);
}

/// Warns if each process will be a job of its own, because the program's MPI does not know the launcher.
void say_if_launcher_differs(const Program& program) {
  if (program.kind != Program::Kind::mpi || processes_started() == 1) return;
  const bool is_by_abi = program.mpi.starts_with("libmpi_abi");
  const StartedBy starter = started_by();
  if (is_by_abi || starter == StartedBy::unknown || may_start(starter, program.mpi)) return;
  say(program.path + " uses " + name_of_mpi(program.mpi) + ", but the launcher is that of " +
      name_of(starter) + ": it may run as " + std::to_string(processes_started()) +
      " separate jobs of one process");
}

} // namespace

int run(const std::map<std::string, std::string>& settings, const std::vector<std::string>& command) {
  std::string path;
  try {
    path = find_program(command.front());
  } catch (const std::system_error& error) {
    say(command.front() + ": " + error.code().message());
    return error.code().value() == ENOENT ? not_found : cannot_run;
  }
  for (const auto& [name, text] : settings) setenv(name.c_str(), text.c_str(), 1);
  try {
    const Program program = look_at(path);
    say_if_launcher_differs(program);
    if (!program.has_library) {
      if (const auto library = choose(program, installed_libraries())) preload(library->path);
    }
  } catch (const std::system_error& error) { // an executable that cannot be read
    say(path + ": " + error.code().message() + natively);
  }
  return become(path, command);
}

std::vector<std::string> info_command(const std::string& thread_level) {
  auto libraries = installed_libraries();
  std::erase_if(libraries, [](const Library& library) { return library.info.empty(); });
  if (libraries.empty()) return {};
  std::string why;
  return {library_by_launcher(libraries, why).value_or(libraries.front()).info, thread_level};
}

int info(const std::string& thread_level) {
  const auto command = info_command(thread_level);
  if (!command.empty()) return become(command.front(), command);
  say("the program that info runs is not installed");
  return cannot_run;
}

} // namespace helper::launcher
