// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/command.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(What communication takes while other processes compute on the same cores, natively and with the library preloaded,
alternately. Run it by itself, without mpiexec, on a machine where nothing else runs.)";

struct Settings {
  int ranks = 2;
  int runs = 3;
  std::string threads = "1";
  std::string library = HELPER_LIBRARY;
  std::vector<std::string> what{"halo", "8", "512", "4096", "67108864"};
  std::string json;
};

/// Foreign processes that compute: how many, at which nice level, bound to which core, -1 for none.
struct Load {
  int processes, nice, core;

  std::string name() const {
    if (processes == 0) return "none";
    return fmt::format("{}, nice {}{}", processes, nice, core < 0 ? "" : fmt::format(", core {}", core));
  }
};

constexpr std::array loads{Load{0, 0, -1},  Load{1, 0, -1}, Load{1, 0, 0},  Load{1, 0, 1},
                           Load{1, 10, -1}, Load{1, 10, 0}, Load{1, 10, 1}, Load{2, 0, -1}};

/// A process that computes for as long as this lives, in a session of its own as a job of someone else.
class Neighbour {
public:
  explicit Neighbour(const Load& load) : process_(fork()) {
    if (process_ < 0) throw std::runtime_error("no process can be started that computes");
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // also where the benchmark is killed
    setsid();
    setpriority(PRIO_PROCESS, 0, load.nice);
    if (load.core >= 0) {
      cpu_set_t cores;
      CPU_ZERO(&cores);
      CPU_SET(static_cast<unsigned>(load.core), &cores);
      if (sched_setaffinity(0, sizeof cores, &cores) != 0) _exit(EXIT_FAILURE);
    }
    for (;;) asm volatile("");
  }
  ~Neighbour() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

private:
  const pid_t process_;
};

std::string title(const std::string& what) {
  return what == "halo" ? "halo of 128³, face x" : "allreduce " + size_name(std::stoul(what));
}

struct Samples {
  std::vector<double> native{}, library{};

  static double worst(const std::vector<double>& runs) { return std::ranges::max(runs); }
  static std::string range(const std::vector<double>& runs) {
    return fmt::format("{} to {}", digits(std::ranges::min(runs)), digits(worst(runs)));
  }
};

/// The two ways alternate, in the other order every other time.
Samples measure(const Settings& settings, const std::string& what) {
  const auto command = [&](const std::string& environment) {
    return fmt::format("'{}' -n {} {} '{}' {}", MPI_LAUNCHER, settings.ranks, environment, PROGRAM, what);
  };
  const std::string preload =
      fmt::format("env LD_PRELOAD='{}' MPI_HELPER_THREADS={}", settings.library, settings.threads);
  Samples samples;
  for (int run = 0; run < settings.runs; ++run) {
    for (const bool is_native : {run % 2 == 0, run % 2 != 0})
      (is_native ? samples.native : samples.library)
          .push_back(numbers_of(command(is_native ? "" : preload)).front());
  }
  return samples;
}

void measure_all(const Settings& settings) {
  nlohmann::ordered_json json;
  fmt::print("{} ranks, {} runs of each: their medians in us, from the best run to the worst\n"
             "{:20} {:24} {:>20} {:>20} {:>14}\n",
             settings.ranks, settings.runs, "processes beside", "", "native", "library", "worst : worst");
  for (const Load& load : loads) {
    std::vector<std::unique_ptr<Neighbour>> neighbours;
    for (int each = 0; each < load.processes; ++each) neighbours.push_back(std::make_unique<Neighbour>(load));
    for (const std::string& what : settings.what) {
      const Samples samples = measure(settings, what);
      const double ratio = Samples::worst(samples.library) / Samples::worst(samples.native);
      fmt::print("{:20} {:24} {:>20} {:>20} {:>14}\n", load.name(), title(what),
                 Samples::range(samples.native), Samples::range(samples.library), digits(ratio));
      std::fflush(stdout);
      json.push_back({{"load", load.name()},
                      {"what", title(what)},
                      {"native", samples.native},
                      {"library", samples.library}});
    }
  }
  if (!settings.json.empty()) write_json(json, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "busy_neighbour"};
  Settings settings;
  app.add_option("--ranks", settings.ranks, "Processes of each program")->check(CLI::PositiveNumber);
  app.add_option("--runs", settings.runs, "Programs of each kind")->check(CLI::PositiveNumber);
  app.add_option("--threads", settings.threads, "Value of MPI_HELPER_THREADS");
  app.add_option("--library", settings.library, "The library to preload")->check(CLI::ExistingFile);
  app.add_option("--what", settings.what, "What to measure: halo, or bytes of an MPI_Allreduce")
      ->delimiter(',');
  app.add_option("--json", settings.json, "Write all medians to this file")->type_name("FILE");
  return run_program(app, argc, argv, [&] { measure_all(settings); });
}
