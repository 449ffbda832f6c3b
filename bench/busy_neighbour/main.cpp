// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/preload.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace {

using namespace bench;

constexpr auto description =
    R"(What communication takes while other processes compute on the same cores, natively and with the library preloaded,
alternately. Run it by itself, without mpiexec, on a machine where nothing else runs.)";

struct Settings {
  int ranks = 2;
  int runs = 3;
  std::vector<std::string> what{"halo", "8", "512", "4096", "67108864"};
};

/// Foreign processes that compute: their number, their nice level, and their core (-1: not bound).
struct Load {
  int processes, nice, core;

  std::string name() const {
    if (processes == 0) return "none";
    return fmt::format("{}, nice {}{}", processes, nice, core < 0 ? "" : fmt::format(", core {}", core));
  }
};

constexpr std::array loads{Load{0, 0, -1},  Load{1, 0, -1}, Load{1, 0, 0},  Load{1, 0, 1},
                           Load{1, 10, -1}, Load{1, 10, 0}, Load{1, 10, 1}, Load{2, 0, -1}};

/// A process that computes while this object lives. It has its own session, like a job of another user.
class Neighbour {
public:
  explicit Neighbour(const Load& load) : process_(fork()) {
    if (process_ < 0) throw std::runtime_error("no process can be started that computes");
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // also if the benchmark is killed
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

/// Returns the medians of the runs, in microseconds: natively and with the library.
std::vector<Samples> measure(const Settings& settings, const std::string& what) {
  const std::size_t bytes = what == "halo" ? 0 : std::stoul(what);
  const int calls = what == "halo" ? 60 : bytes <= 4 * KiB ? 401 : bytes <= MiB ? 101 : 11;
  const auto arguments = fmt::format("{} {} {} written", what == "halo" ? what : "allreduce", bytes, calls);
  const auto run = [&](std::size_t way) {
    return median(times_of_calls(settings.ranks, way == 0 ? "" : "1", arguments));
  };
  return take(2, settings.runs, run, true);
}

void measure_all(const Settings& settings, Lines& lines) {
  for (const Load& load : loads) {
    std::vector<std::unique_ptr<Neighbour>> neighbours;
    for (int each = 0; each < load.processes; ++each) neighbours.push_back(std::make_unique<Neighbour>(load));
    for (const std::string& what : settings.what) {
      const auto samples = measure(settings, what);
      const Samples &native = samples[0], &library = samples[1];
      const double worst = std::ranges::max(native), own_worst = std::ranges::max(library);
      lines.add(
          {{"load", load.name()},
           {"what", what == "halo" ? "halo of 128³, face x" : "allreduce " + size_name(std::stoul(what))},
           {"native", native},
           {"library", library},
           {"worst native", worst},
           {"worst library", own_worst},
           {"worst : worst", own_worst / worst}});
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("busy_neighbour", description);
  program.add("--what", settings.what, "What to measure: halo, or bytes of an MPI_Allreduce");
  program.add_number("--ranks", settings.ranks, "Processes of each program");
  program.add_number("--runs", settings.runs, "Programs of each kind");
  return program.run(argc, argv, [&](Lines& lines) { measure_all(settings, lines); });
}
