// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include "common/preload.hpp"
#include "common/program.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <map>
#include <utility>

namespace {

using namespace bench;

/// MPI calls outside of phases, in a program that knows nothing of the library: with it preloaded, and
/// natively.
void measure_interception(Lines& lines) {
  constexpr int pairs = 11;
  const auto run = [](const char* preloaded) {
    return named_numbers_of(fmt::format("LD_PRELOAD='{}' '{}'", preloaded, INTERCEPTION_PROGRAM));
  };
  std::map<std::string, Samples> native, difference;
  for (int i = 0; i < pairs; ++i) {
    const auto plain = run(""), intercepted = run(HELPER_LIBRARY);
    for (const auto& [function, nanoseconds] : plain) {
      native[function].push_back(nanoseconds);
      difference[function].push_back(intercepted.at(function) - nanoseconds);
    }
  }
  for (const auto& [function, samples] : native) {
    add_cost(lines, function + " by itself", "ns", samples);
    add_cost(lines, function + ", more when preloaded", "ns", difference.at(function), 3);
  }
}

/// Processor time of MPI calls while 10 to 10,000 receives are outstanding.
void measure_outstanding(Lines& lines) {
  constexpr int pairs = 3;
  std::map<std::string, Samples> native, preloaded;
  for (int i = 0; i < pairs; ++i) {
    for (auto [library, samples] : {std::pair("", &native), std::pair(HELPER_LIBRARY, &preloaded)})
      for (const auto& [call, nanoseconds] :
           named_numbers_of(fmt::format("'{}' -n 2 env LD_PRELOAD='{}' MPI_HELPER_THREADS=1 '{}'",
                                        MPI_LAUNCHER, library, OUTSTANDING_PROGRAM)))
        (*samples)[call].push_back(nanoseconds);
  }
  for (const auto& [call, samples] : native) {
    add_cost(lines, call + " receives, native", "ns", samples);
    add_cost(lines, "the same, preloaded", "ns", preloaded.at(call));
  }
}

/// The output of a program of two ranks.
Samples run_ranks(const char* program, const std::string& arguments) {
  return numbers_of(fmt::format("'{}' -n 2 '{}' {}", MPI_LAUNCHER, program, arguments));
}

/// Exchanges of small messages, natively and in a phase, if the ranks have written other data or not.
void measure_small_messages(Lines& lines) {
  for (const bool after_others : {false, true}) {
    for (const int size : {8, 1024, 4096}) {
      const Samples samples =
          run_ranks(NEIGHBOURS_PROGRAM, fmt::format("{} {}", size, after_others ? "others" : ""));
      Samples native, in_phase;
      for (std::size_t i = 0; i < samples.size(); ++i) (i % 2 == 0 ? native : in_phase).push_back(samples[i]);
      const auto what = fmt::format("exchange of {} B{}", size, after_others ? " after 5 MiB of others" : "");
      add_cost(lines, what + ", native", "us", native);
      add_cost(lines, "the same, in a phase", "us", in_phase);
    }
  }
}

/// Parallel regions of the library, in which OpenMP threads of the program help: the time after the MPI call.
void measure_regions(Lines& lines) {
#ifdef __clang__
  std::vector<std::pair<std::string, std::string>> runtimes{{"LLVM", ""}};
#else
  std::vector<std::pair<std::string, std::string>> runtimes{{"GCC", ""}};
  if (LLVM_OPENMP[0] != 0) runtimes.emplace_back("LLVM", LLVM_OPENMP);
#endif
  for (const auto& [name, preloaded] : runtimes)
    for (const auto& [other, what] :
         {std::pair{"spins", "spins in it"}, {"sleeps", "sleeps in it"}, {"late", "sleeps and comes late"}})
      add_cost(lines, fmt::format("end of a region whose other thread {}, {}'s OpenMP", what, name), "us",
               numbers_of(fmt::format("OMP_WAIT_POLICY=passive LD_PRELOAD='{}' '{}' {}", preloaded,
                                      REGIONS_PROGRAM, other)));
}

void measure(const std::string& file) {
  Lines lines(file);
  // These start programs, which is possible before MPI_Init only.
  measure_interception(lines);
  measure_outstanding(lines);
  measure_small_messages(lines);
  add_cost(lines, "processor time in MPI_Allreduce, peer 1 ms late, native", "us",
           run_ranks(LATENESS_PROGRAM, ""));
  add_cost(lines, "the same, both threads of a team of 2", "us", run_ranks(LATENESS_PROGRAM, "team"));
  measure_regions(lines);
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  measure_here(lines);
  MPI_Finalize();
  lines.write();
}

} // namespace

int main(int argc, char** argv) {
  std::string json;
  Program program(
      "costs", "What helper teams cost where they do not help: phases, publishing, waiting, interception.\n"
               "Run it without mpiexec, on an idle machine with at least two cores.");
  program.add_json(json);
  return program.run(argc, argv, [&] { measure(json); });
}
