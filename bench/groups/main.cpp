// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi_helper.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(System-ranked groups beside what native MPI has for the same: the time to make and free one, its memory, and
MPIX_Sysgroup_allreduce on a group of all ranks beside MPI_Allreduce in a phase of the same team. To be run
under mpiexec.)";

struct Settings {
  int repetitions = 15, batch = 4, alive = 1000;
  std::vector<int> teams{1, 2};
  std::size_t most = std::size_t{16} << 20;
  bool creation_alone = false;
  std::string json;
};

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Something to be measured, and its samples in microseconds.
struct Way {
  std::string name;
  std::function<void()> act;
  std::vector<double> times = {};
};

/// Takes samples of all ways in turn, each of `batch` acts.
void sample(std::vector<Way>& ways, int repetitions, int batch, MPIX_Sysgroup all) {
  for (int repetition = -1; repetition < repetitions; ++repetition) { // the first one warms up
    for (Way& way : ways) {
      MPIX_Sysgroup_barrier(all);
      const double begin = MPI_Wtime();
      for (int i = 0; i < batch; ++i) way.act();
      const double time = (MPI_Wtime() - begin) * 1e6 / batch;
      if (repetition >= 0) way.times.push_back(time);
    }
  }
}

void split(int colour) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, rank(), &comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

void enrol(MPIX_Sysgroup all, bool participates, const char* scheme, int branching) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_scheme", scheme);
  MPI_Info_set(info, "mpi_helper_branching", std::to_string(branching).c_str());
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_enroll(all, participates ? 1 : 0, info, &group);
  MPI_Info_free(&info);
  if (group != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group);
}

/// Each rank gets a group of its own, of as many as there are ranks.
void split_up(MPIX_Sysgroup all) {
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_split(all, rank(), MPI_INFO_NULL, &group);
  MPIX_Sysgroup_free(&group);
}

void report(nlohmann::ordered_json& json, const char* what, const std::vector<Way>& ways) {
  if (rank() != 0) return;
  const double first = quantiles(ways.front().times).median;
  for (const Way& way : ways) {
    const auto [p10, median, p90] = quantiles(way.times);
    fmt::print("{:28} {:28} {:>10} {:>10} {:>10}  {:>6}\n", what, way.name, digits(p10), digits(median),
               digits(p90), digits(first / median));
    json.push_back({{"what", what},
                    {"way", way.name},
                    {"ranks", size()},
                    {"p10", p10},
                    {"median", median},
                    {"p90", p90}});
  }
}

void measure_creation(const Settings& settings, MPIX_Sysgroup all, nlohmann::ordered_json& json) {
  for (const bool everybody : {true, false}) {
    const bool participates = everybody || rank() % 2 == 0;
    std::vector<Way> ways{{"MPI_Comm_split", [&] { split(participates ? 0 : MPI_UNDEFINED); }}};
    for (const char* scheme : {"balance", "hash", "centralised"}) {
      for (const int branching : {2, 4, 8})
        ways.push_back({fmt::format("{}, k {}", scheme, branching),
                        [=] { enrol(all, participates, scheme, branching); }});
    }
    sample(ways, settings.repetitions, settings.batch, all);
    report(json, everybody ? "made and freed, all, us" : "made and freed, half, us", ways);
  }
  std::vector<Way> ways{{"MPI_Comm_split", [] { split(rank()); }},
                        {"MPIX_Sysgroup_split", [=] { split_up(all); }},
                        {"one enrolment", [=] { enrol(all, true, "balance", 4); }}};
  sample(ways, settings.repetitions, settings.batch, all);
  report(json, "split into one for each, us", ways);
}

/// Bytes of this process for each of so many that `make` makes.
double bytes_of_each(int count, const std::function<void()>& make) {
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < count; ++i) make();
  return static_cast<double>(mallinfo2().uordblks - before) / count;
}

void measure_memory(const Settings& settings, MPIX_Sysgroup all, nlohmann::ordered_json& json) {
  std::vector<MPIX_Sysgroup> groups;
  groups.reserve(static_cast<std::size_t>(settings.alive));
  const double of_group = bytes_of_each(settings.alive, [&] {
    groups.push_back(MPIX_SYSGROUP_NULL);
    MPIX_Sysgroup_enroll(all, 1, MPI_INFO_NULL, &groups.back());
  });
  for (MPIX_Sysgroup& group : groups) MPIX_Sysgroup_free(&group);
  std::vector<MPI_Comm> comms;
  const int count = std::min(settings.alive, 20);
  comms.reserve(static_cast<std::size_t>(count));
  const double of_communicator = bytes_of_each(count, [&] {
    comms.push_back(MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank(), &comms.back());
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  if (rank() != 0) return;
  fmt::print("bytes at rank 0 of one of {} groups alive: {:.0f}; of one of {} communicators: {:.0f}\n",
             settings.alive, of_group, count, of_communicator);
  json.push_back(
      {{"what", "bytes"}, {"ranks", size()}, {"group", of_group}, {"communicator", of_communicator}});
}

void measure_allreduce(const Settings& settings, MPIX_Sysgroup all, Crew& crew,
                       nlohmann::ordered_json& json) {
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_enroll(all, 1, MPI_INFO_NULL, &group);
  std::vector<double> from(settings.most / sizeof(double), rank() + 0.5), to(from.size());
  for (const int team : settings.teams) {
    for (std::size_t bytes = std::size_t{64} << 10; bytes <= settings.most; bytes *= 4) {
      const int count = static_cast<int>(bytes / sizeof(double));
      const int batch = std::max(1, static_cast<int>((std::size_t{4} << 20) / bytes));
      std::vector<Way> ways{
          {fmt::format("MPI_Allreduce, team {}", team),
           [&] { MPI_Allreduce(from.data(), to.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
          {"MPIX_Sysgroup_allreduce",
           [&] { MPIX_Sysgroup_allreduce(from.data(), to.data(), count, MPI_DOUBLE, MPI_SUM, group); }}};
      crew.phase(team, [&] { sample(ways, settings.repetitions, batch, all); });
      report(json, fmt::format("allreduce of {}, us", size_name(bytes)).c_str(), ways);
    }
  }
  MPIX_Sysgroup_free(&group);
}

void measure(const Settings& settings) {
  nlohmann::ordered_json json;
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  if (rank() == 0)
    fmt::print("{} ranks\n{:57} {:>10} {:>10} {:>10}  {:>6}\n", size(), "", "p10", "median", "p90", "times");
  measure_creation(settings, all, json);
  measure_memory(settings, all, json);
  if (!settings.creation_alone) {
    Crew crew(settings.teams);
    crew.run([&] { measure_allreduce(settings, all, crew, json); });
  }
  MPIX_Sysgroup_free(&all);
  if (rank() == 0 && !settings.json.empty()) write_json(json, settings.json);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{description, "groups"};
  Settings settings;
  app.add_option("--repetitions", settings.repetitions, "Samples of each")->check(CLI::PositiveNumber);
  app.add_option("--batch", settings.batch, "Groups made in a row in each sample")
      ->check(CLI::PositiveNumber);
  app.add_option("--alive", settings.alive, "Groups alive at once, to see their memory")
      ->check(CLI::PositiveNumber);
  app.add_option("--teams", settings.teams, "Sizes of teams")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--max", settings.most, "Most bytes to reduce")->transform(CLI::AsSizeValue(false));
  app.add_flag("--creation-alone", settings.creation_alone, "Make groups only, reduce nothing");
  app.add_option("--json", settings.json, "Write the times to this file")->type_name("FILE");
  return run_ranks(app, argc, argv, [&](int) { measure(settings); });
}
