// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "launcher/commands.hpp"
#include "launcher/elf.hpp"
#include "launcher/program.hpp"

extern char** environ;

namespace helper::launcher {

namespace {

std::string contents_of(const char* path) {
  std::ifstream file(path);
  if (!file) return std::string(std::strerror(errno)) + "\n";
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Returns a part of the report.
std::string part(const std::string& title, const std::string& text) {
  return fmt::format("== {}\n{}{}\n", title, text, text.ends_with('\n') ? "" : "\n");
}

std::string of_file(const char* path) {
  return part(path, contents_of(path));
}

/// Returns the output of a command, or a text if there is none.
std::string of_command(const std::vector<std::string>& command) {
  const std::string text = output_of(command, true);
  return part(fmt::format("{}", fmt::join(command, " ")),
              text.empty() ? "not there, or it prints nothing" : text);
}

std::string versions() {
  std::string text = "MPI Helper Teams " MPI_HELPER_VERSION "\n";
  for (const Library& library : installed_libraries())
    text += fmt::format("{} for {} ({})\n", library.path, name_of_mpi(library.mpi), library.mpi);
  utsname system{};
  uname(&system);
  return part("Versions", text + fmt::format("{} {} {}\n", system.sysname, system.release, system.machine)) +
         of_file("/etc/os-release");
}

/// Returns the variables that change what MPI, OpenMP and the library do. Other variables may hold secrets.
std::string environment() {
  std::string text;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    for (const std::string_view begin :
         {"MPI_HELPER_",   "OMP_",      "GOMP_",         "KMP_",        "MPIR_",
          "MPICH_",        "HYDRA_",    "OMPI_MCA_",     "UCX_",        "FI_",
          "HWLOC_",        "PMI_RANK=", "PMI_SIZE=",     "PMIX_RANK=",  "OMPI_COMM_WORLD_",
          "SLURM_NTASKS=", "SLURM_CPU", "SLURM_PROCID=", "LD_PRELOAD=", "LD_LIBRARY_PATH="}) {
      if (variable.starts_with(begin)) text += std::string(variable) + "\n";
    }
  }
  return part("Environment", text.empty() ? "nothing of MPI, OpenMP or the library" : text);
}

std::string shared_memory() {
  struct statvfs state {};
  if (statvfs("/dev/shm", &state) != 0) return part("/dev/shm", std::strerror(errno));
  constexpr unsigned long mib = 1024UL * 1024;
  return part("/dev/shm", fmt::format("{} MiB, {} MiB of them free\n", state.f_blocks * state.f_frsize / mib,
                                      state.f_bavail * state.f_frsize / mib));
}

std::string allowed_cores() {
  std::ifstream status("/proc/self/status");
  std::string text;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Cpus_allowed_list") || line.starts_with("Mems_allowed_list") ||
        line.starts_with("Seccomp:"))
      text += line + "\n";
  }
  return part("Cores and memory that this process may use", text);
}

std::string everything(const std::vector<std::string>& info) {
  std::string text = versions();
  text += part("mpi_helper info", info.empty() ? "not installed" : output_of(info, true));
  text += environment() + of_command({"mpichversion"}) + of_command({"ompi_info", "--version"});
  text += of_command({"lscpu"}) + allowed_cores() + of_command({"lstopo-no-graphics", "--no-io"});
  for (const char* const path : {"/sys/fs/cgroup/cpu.max", "/proc/self/limits",
                                 "/proc/sys/kernel/yama/ptrace_scope", "/proc/meminfo", "/proc/loadavg"})
    text += of_file(path);
  return text + shared_memory();
}

} // namespace

int report(const std::string& path) {
  const auto info = info_command("single");
  // Every process runs the program of info: they are ranks of one job, and rank 0 prints what all found.
  if (!is_first_process()) {
    if (!info.empty()) output_of(info, true);
    return EXIT_SUCCESS;
  }
  const std::string text = everything(info);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    say(path + ": " + std::strerror(errno));
    return EXIT_FAILURE;
  }
  fmt::print("Written: {}. Please read it before you pass it on: it names this machine and its paths.\n",
             path);
  return EXIT_SUCCESS;
}

} // namespace helper::launcher
