// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// `mpi_helper info` runs this program. It prints what the library finds, and how it would run if a program
// were launched in the same way. Its argument is a thread level.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "process/process.hpp"
#include "process/recording.hpp"
#include "process/state.hpp"
#include "settings/settings.hpp"
#include "topology/machine.hpp"

namespace {

/// The thread levels by name.
const std::map<std::string, int>& thread_levels() {
  static const std::map<std::string, int> by_name{{"single", MPI_THREAD_SINGLE},
                                                  {"funneled", MPI_THREAD_FUNNELED},
                                                  {"serialized", MPI_THREAD_SERIALIZED},
                                                  {"multiple", MPI_THREAD_MULTIPLE}};
  return by_name;
}

/// Returns the name of the level that MPI was initialised at.
std::string provided_thread_level() {
  int provided = 0;
  MPI_Query_thread(&provided);
  return std::ranges::find_if(thread_levels(), [&](const auto& level) { return level.second == provided; })
      ->first;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string mpi_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text = first_line(text.c_str()); // some MPIs count the null character in the length
  std::ranges::replace(text, '\t', ' ');
  return text;
}

std::string host_name() {
  std::string name(MPI_MAX_PROCESSOR_NAME, '\0');
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  name.resize(static_cast<std::size_t>(length));
  return name;
}

/// Prints the texts of all ranks in order, at rank 0. Collective.
void print_of_each_rank(const std::string& mine) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  fmt::print("{}\n", mine);
  for (int other = 1; other < size; ++other)
    fmt::print("{}\n", helper::process::receive_text(other, MPI_COMM_WORLD));
}

void print_what_is_the_same_everywhere() {
  fmt::print("MPI Helper Teams {}\n{}\nThread level: {}\n\nSettings\n", MPI_HELPER_VERSION, mpi_version(),
             provided_thread_level());
  for (const std::string& line : helper::settings::describe(helper::settings::environment()))
    fmt::print("  {}\n", line);
  if (const std::string network = helper::process::costs_between_nodes(helper::process::current());
      !network.empty())
    fmt::print("\nNetwork\n  {}\n", network);
  fmt::print("\nRanks\n");
}

} // namespace

int main(int argc, char** argv) {
  const auto level = thread_levels().find(argc > 1 ? argv[1] : "single");
  if (level == thread_levels().end()) {
    fmt::print(stderr, "Run this program by: mpi_helper info\n");
    return EXIT_FAILURE;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level->second, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) print_what_is_the_same_everywhere();
  print_of_each_rank(fmt::format("  rank {} on {}: {}\n    {}", rank, host_name(),
                                 helper::topology::Machine::local().summary(),
                                 helper::process::describe_place()));
  MPI_Finalize();
  return EXIT_SUCCESS;
}
