// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "launcher/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "launcher/elf.hpp"
#include "settings/settings.hpp"

namespace helper::launcher {

namespace {

bool is_file(const std::string& path) {
  struct stat state {};
  return stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode);
}

/// Returns whether the program at this path interprets scripts, which may load MPI or start programs that do.
bool runs_scripts(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  constexpr std::string_view begins[] = {"python", "perl",   "ruby",    "julia",
                                         "lua",    "octave", "Rscript", "pypy"};
  constexpr std::string_view names[] = {"R",    "sh",      "bash",    "dash", "zsh",
                                        "ksh",  "csh",     "tcsh",    "env",  "tclsh",
                                        "nice", "numactl", "taskset", "time", "timeout"};
  return std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); }) ||
         std::ranges::find(names, name) != std::end(names);
}

/// Returns the interpreter in the first line of a script; if it is `env`, the program that `env` looks for.
std::string interpreter_of(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return "/bin/sh"; // as execvp(3) does
  std::istringstream words(std::string(bytes.substr(2, bytes.find('\n') - 2)));
  std::string word;
  words >> word;
  if (std::filesystem::path(word).filename() != "env") return word;
  while (words >> word && (word.starts_with('-') || word.find('=') != word.npos)) {
  }
  return word;
}

/// Returns the soname of the file at `path`, or `name` if it has none.
std::string soname_of(const std::string& path, const std::string& name) {
  if (path.empty()) return name;
  try {
    const MappedFile file(path);
    const auto elf = parse_elf(file.bytes());
    return elf && !elf->soname.empty() ? elf->soname : name;
  } catch (const std::system_error&) {
    return name;
  }
}

void look_at_elf(const Elf& elf, std::string_view bytes, Program& program) {
  for (const auto& [name, path] :
       elf.linker.empty() ? std::vector<Dependency>() : dependencies(elf, program.path)) {
    const std::string file = std::filesystem::path(name).filename();
    program.has_library = program.has_library || file.starts_with("libmpi_helper");
    if (program.mpi.empty() && is_mpi(file)) program.mpi = soname_of(path, file);
  }
  if (!program.mpi.empty())
    program.kind = Program::Kind::mpi;
  else if (runs_scripts(program.path))
    program.kind = Program::Kind::interpreter;
  else if (elf.linker.empty() || bytes.find("MPI_Init_thread") != bytes.npos)
    program.kind = Program::Kind::static_mpi;
}

} // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) {
    if (access(name.c_str(), X_OK) != 0) throw std::system_error(errno, std::generic_category());
    if (!is_file(name)) throw std::system_error(EACCES, std::generic_category());
    return name;
  }
  const char* const set = std::getenv("PATH");
  std::istringstream folders(set != nullptr ? set : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0 && is_file(path)) return path;
  }
  throw std::system_error(ENOENT, std::generic_category());
}

Program look_at(const std::string& path) {
  Program program;
  program.path = path;
  const MappedFile file(path);
  if (const auto elf = parse_elf(file.bytes())) {
    look_at_elf(*elf, file.bytes(), program);
    return program;
  }
  program.interpreter = interpreter_of(file.bytes());
  program.kind = Program::Kind::interpreter;
  try {
    const std::string interpreter = find_program(program.interpreter);
    const MappedFile of_interpreter(interpreter);
    if (const auto elf = parse_elf(of_interpreter.bytes())) {
      Program found;
      found.path = interpreter;
      look_at_elf(*elf, of_interpreter.bytes(), found);
      program.mpi = found.mpi;
      if (found.kind == Program::Kind::mpi) program.kind = found.kind;
    }
  } catch (const std::system_error&) {
    // exec will report what is wrong with the interpreter.
  }
  return program;
}

bool is_mpi(std::string_view soname) {
  constexpr std::string_view begins[] = {"libmpi.so",  "libmpich.so",   "libmpi_abi.so", "libmpi_cray.so",
                                         "libmpi_gnu", "libmpi_nvidia", "libmpi_intel"};
  return std::ranges::any_of(begins, [soname](std::string_view begin) { return soname.starts_with(begin); });
}

std::string name_of_mpi(std::string_view soname) {
  if (soname.starts_with("libmpich.so")) return "MPICH";
  if (soname.starts_with("libmpi_abi.so")) return "the standard ABI of MPI";
  if (soname.starts_with("libmpi.so.12")) return "an MPI with the ABI of MPICH";
  if (soname.starts_with("libmpi.so")) return "Open MPI";
  return "Cray MPICH";
}

StartedBy started_by() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return StartedBy::open_mpi;
  const bool by_hydra = std::getenv("PMI_RANK") != nullptr && std::getenv("PMI_JOBID") == nullptr;
  return by_hydra ? StartedBy::mpich : StartedBy::unknown;
}

int processes_started() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    if (const char* const text = std::getenv(name)) return std::max(1, std::atoi(text));
  }
  return 1;
}

bool is_first_process() {
  return settings::rank_by_launcher() == 0;
}

void say(const std::string& text) {
  if (is_first_process()) std::fprintf(stderr, "mpi_helper: %s\n", text.c_str());
}

} // namespace helper::launcher
