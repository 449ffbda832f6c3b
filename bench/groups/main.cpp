// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"

#include <mpi_helper.h>

#include <malloc.h>

namespace {

using namespace bench;

constexpr auto description =
    R"(System-ranked groups compared with communicators of native MPI: the time to make and free one, the bytes of one at rank
0, and MPIX_Sysgroup_allreduce on a group of all ranks compared with MPI_Allreduce in a phase of the same team. Run it
with mpiexec.)";

struct Settings {
  int repetitions = 15, alive = 1000;
  std::vector<int> teams{1, 2};
  std::size_t most = 16 * MiB;
  bool creation_alone = false;
};

constexpr int groups_in_a_row = 4; // of a sample

struct Way {
  std::string name;
  std::function<void()> act;
};

/// Takes samples of all ways alternately, each of `batch` operations, and adds lines that begin with `what`,
/// in microseconds. A ratio is the first way's median over the way's median.
void measure(Lines& lines, const Json& what, const std::vector<Way>& ways, int repetitions, int batch,
             MPIX_Sysgroup all) {
  const auto samples = take_warm(ways.size(), repetitions, [&](std::size_t way) {
    MPIX_Sysgroup_barrier(all);
    const double begin = MPI_Wtime();
    for (int i = 0; i < batch; ++i) ways[way].act();
    return (MPI_Wtime() - begin) * 1e6 / batch;
  });
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Json line = what;
    line.update({{"way", ways[way].name}, {"ranks", rank_count()}});
    line.update(quantiles(samples[way]));
    if (way != 0) line["ratio"] = median(samples[0]) / median(samples[way]);
    lines.add(std::move(line));
  }
}

void split(int colour) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, own_rank(), &comm);
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

/// Each rank gets a group of one; there are as many groups as ranks.
void split_up(MPIX_Sysgroup all) {
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_split(all, own_rank(), MPI_INFO_NULL, &group);
  MPIX_Sysgroup_free(&group);
}

void measure_creation(const Settings& settings, MPIX_Sysgroup all, Lines& lines) {
  for (const bool everybody : {true, false}) {
    const bool participates = everybody || own_rank() % 2 == 0;
    std::vector<Way> ways{{"MPI_Comm_split", [&] { split(participates ? 0 : MPI_UNDEFINED); }}};
    for (const char* scheme : {"balance", "hash", "centralised"})
      for (const int branching : {2, 4, 8})
        ways.push_back({fmt::format("{}, k {}", scheme, branching),
                        [=] { enrol(all, participates, scheme, branching); }});
    measure(lines, {{"what", everybody ? "made and freed, all, us" : "made and freed, half, us"}}, ways,
            settings.repetitions, groups_in_a_row, all);
  }
  measure(lines, {{"what", "split into one for each, us"}},
          {{"MPI_Comm_split", [] { split(own_rank()); }},
           {"MPIX_Sysgroup_split", [=] { split_up(all); }},
           {"one enrolment", [=] { enrol(all, true, "balance", 4); }}},
          settings.repetitions, groups_in_a_row, all);
}

/// Returns the bytes of memory that this process needs for each of `count` objects made by `make`.
double bytes_of_each(int count, const std::function<void()>& make) {
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < count; ++i) make();
  return static_cast<double>(mallinfo2().uordblks - before) / count;
}

void measure_memory(const Settings& settings, MPIX_Sysgroup all, Lines& lines) {
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
    MPI_Comm_split(MPI_COMM_WORLD, 0, own_rank(), &comms.back());
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  lines.add(
      {{"what", "bytes"}, {"ranks", rank_count()}, {"group", of_group}, {"communicator", of_communicator}});
}

void measure_allreduce(const Settings& settings, MPIX_Sysgroup all, Crew& crew, Lines& lines) {
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_enroll(all, 1, MPI_INFO_NULL, &group);
  std::vector<double> from(settings.most / sizeof(double), own_rank() + 0.5), to(from.size());
  for (const int team : settings.teams) {
    for (std::size_t bytes = 64 * KiB; bytes <= settings.most; bytes *= 4) {
      const int count = static_cast<int>(bytes / sizeof(double));
      const int batch = std::max(1, static_cast<int>(4 * MiB / bytes));
      const std::vector<Way> ways{
          {"MPI_Allreduce",
           [&] { MPI_Allreduce(from.data(), to.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
          {"MPIX_Sysgroup_allreduce",
           [&] { MPIX_Sysgroup_allreduce(from.data(), to.data(), count, MPI_DOUBLE, MPI_SUM, group); }}};
      crew.phase(team, [&] {
        measure(lines, {{"what", "allreduce, us"}, {"bytes", bytes}, {"team", team}}, ways,
                settings.repetitions, batch, all);
      });
    }
  }
  MPIX_Sysgroup_free(&group);
}

void measure(const Settings& settings, Lines& lines) {
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  measure_creation(settings, all, lines);
  measure_memory(settings, all, lines);
  if (!settings.creation_alone) {
    Crew crew(settings.teams);
    crew.run([&] { measure_allreduce(settings, all, crew, lines); });
  }
  MPIX_Sysgroup_free(&all);
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("groups", description);
  program.add_repetitions(settings.repetitions);
  program.add_number("--alive", settings.alive, "Groups alive at once, to measure their memory");
  program.add_teams(settings.teams);
  program.add_bytes("--max", settings.most, "Most bytes to reduce");
  program.add_flag("--creation-alone", settings.creation_alone, "Make groups only, reduce nothing");
  return program.run_ranks(argc, argv, [&](int, Lines& lines) { measure(settings, lines); });
}
