// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>) // version 3
#include <catch2/catch_assertion_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
using Heard = void;
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES // the listener's
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
using Heard = bool;
#endif

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch_runner.hpp"
#include "support/mpi_support.hpp"
#include "support/yield.hpp"

namespace {

std::uint64_t run_seed;

// The output of Catch2 at this rank. At the end rank 0 prints its own and that of each rank that failed.
std::ostringstream& written() {
  static std::ostringstream stream;
  return stream;
}

int thread_level() {
  const char* name = std::getenv("TEST_THREAD_LEVEL");
  if (name == nullptr || std::strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  if (std::strcmp(name, "single") == 0) return MPI_THREAD_SINGLE;
  if (std::strcmp(name, "serialized") == 0) return MPI_THREAD_SERIALIZED;
  return MPI_THREAD_MULTIPLE;
}

std::uint64_t agree_on_seed() {
  std::uint64_t seed = std::random_device{}();
  if (const char* text = std::getenv("TEST_SEED")) seed = std::strtoull(text, nullptr, 10);
  PMPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return seed;
}

void show_failures(int failures, int rank) {
  const std::string text = written().str();
  if (rank != 0) {
    if (failures != 0) PMPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  std::fputs(text.c_str(), stdout);
}

// Prints a failed check immediately, since the ranks may hang afterwards.
struct Alarm : Listener {
  using Listener::Listener;

  Heard assertionEnded(const Catch::AssertionStats& stats) override {
    if (stats.assertionResult.isOk()) return Heard(true);
    std::string text = "a check failed, seed " + std::to_string(run_seed) + ": " +
                       stats.assertionResult.getExpandedExpression();
    for (const Catch::MessageInfo& message : stats.infoMessages) text += "; " + message.message;
    const Catch::SourceLineInfo at = stats.assertionResult.getSourceInfo();
    std::fprintf(stderr, "%s:%zu: %s\n", at.file, at.line, text.c_str());
    return Heard(true);
  }
};
CATCH_REGISTER_LISTENER(Alarm)

} // namespace

std::ostream& test_support::output() {
  return written();
}

int test_support::team_size() {
  const char* text = std::getenv("TEST_TEAM_SIZE");
  return text != nullptr ? std::atoi(text) : 1;
}

std::uint64_t test_support::seed() {
  return run_seed;
}

// For LeakSanitizer. MPICH leaks messages that were cancelled or truncated, UCX leaks memory, and the library
// leaks the message with which a failed rank tells other ranks.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libmpich.so\nleak:libucs.so\nleak:libucp.so\nleak:libuct.so\nleak:transport::Failure::"
         "Failure\n";
}

int main(int argc, char** argv) {
  test_support::yield_while_waiting();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, thread_level(), &provided);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run_seed = agree_on_seed();
  if (rank == 0) {
    // Printed first, since the test may hang.
    std::printf("seed %llu (set TEST_SEED to repeat)\n", static_cast<unsigned long long>(run_seed));
    std::fflush(stdout);
  }

  const int failures = test_support::run_test_cases(argc, argv);

  std::vector<int> failed(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&failures, 1, MPI_INT, failed.data(), 1, MPI_INT, MPI_COMM_WORLD);
  show_failures(failures, rank);
  int worst = 0;
  for (int source = 0; source < ranks; ++source) {
    const int of_source = failed[static_cast<std::size_t>(source)];
    if (of_source != 0) worst = 1;
    if (of_source == 0 || rank != 0 || source == 0) continue;
    MPI_Status status;
    int length = 0;
    PMPI_Probe(source, 0, MPI_COMM_WORLD, &status);
    PMPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    PMPI_Recv(text.data(), length, MPI_CHAR, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("--- rank %d of %d ---\n%s", source, ranks, text.c_str());
  }
  std::fflush(stdout);
  MPI_Finalize();
  return worst;
}
