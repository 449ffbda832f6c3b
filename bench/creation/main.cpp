// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/ranks.hpp"

#include <mpi_helper.h>

namespace {

using namespace bench;

struct Way {
  std::string name;
  bool collective_over_parent; ///< over all ranks of the parent; otherwise only over the group
};

const std::vector<Way> ways{{"MPI_Comm_create", true}, {"MPI_Comm_split", true}, {"direct", false},
                            {"enrolment", true},       {"from_group", false},    {"multiway", false},
                            {"recursive", false},      {"textbook", false}};

/// Makes a communicator of `group` with functions of MPI-2.2: Algorithm 1 of Dinan et al., "Noncollective
/// Communicator Creation in MPI". Only members of the group call it. With MPICH, only one thread of a process
/// may do so at a time (quirk merges_cross).
MPI_Comm create_by_the_book(MPI_Group group, MPI_Comm comm, int tag) {
  int rank = 0, size = 0;
  MPI_Group_rank(group, &rank);
  MPI_Group_size(group, &size);
  MPI_Group parent = MPI_GROUP_NULL;
  std::vector<int> in_group(static_cast<std::size_t>(size)), processes(in_group.size());
  std::iota(in_group.begin(), in_group.end(), 0);
  MPI_Comm_group(comm, &parent);
  MPI_Group_translate_ranks(group, size, in_group.data(), parent, processes.data());
  MPI_Group_free(&parent);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &made);
  for (int merged = 1; merged < size; merged *= 2) {
    const int number = rank / merged;
    const bool is_high = number % 2 == 1;
    const int other = (is_high ? number - 1 : number + 1) * merged; // its leader
    if (other >= size) continue;
    MPI_Comm old = made, both = MPI_COMM_NULL;
    MPI_Intercomm_create(old, 0, comm, processes[static_cast<std::size_t>(other)], tag, &both);
    MPI_Intercomm_merge(both, is_high ? 1 : 0, &made);
    MPI_Comm_free(&both);
    MPI_Comm_free(&old);
  }
  return made;
}

/// What this rank and the other ranks of its group need for a creation.
struct Place {
  MPI_Comm parent; ///< MPI_COMM_NULL outside of it
  MPI_Group group;
  bool is_member;
  MPIX_Sysgroup enrolled; ///< the parent's ranks; null outside
};

struct Made {
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Sysgroup enrolled = MPIX_SYSGROUP_NULL;
};

MPI_Comm create_by(const char* algorithm, const Place& place) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_group_algorithm", algorithm);
  MPIX_Group_comm_create_info(place.parent, place.group, 0, info, &made);
  MPI_Info_free(&info);
  return made;
}

Made create(const Way& way, const Place& place) {
  Made made;
  if (way.name == "MPI_Comm_create")
    MPI_Comm_create(place.parent, place.group, &made.comm);
  else if (way.name == "MPI_Comm_split")
    MPI_Comm_split(place.parent, place.is_member ? 0 : MPI_UNDEFINED, own_rank(), &made.comm);
  else if (way.name == "enrolment")
    MPIX_Sysgroup_enroll(place.enrolled, place.is_member ? 1 : 0, MPI_INFO_NULL, &made.enrolled);
  else if (way.name == "from_group")
    MPI_Comm_create_from_group(place.group, "creation", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made.comm);
  else if (way.name == "textbook")
    made.comm = create_by_the_book(place.group, place.parent, 0);
  else
    made.comm = create_by(way.name.c_str(), place);
  return made;
}

void check(MPI_Comm made, const Place& place) {
  MPI_Group members = MPI_GROUP_NULL;
  int result = MPI_UNEQUAL;
  MPI_Comm_group(made, &members);
  MPI_Group_compare(members, place.group, &result);
  MPI_Group_free(&members);
  if (result != MPI_IDENT) throw std::runtime_error("a communicator has other members than its group");
}

/// Returns the mean time of one creation over several in a row. The first one does not count, because ranks
/// come to it at different times. Freeing does not count.
double seconds_of(const Way& way, const Place& place) {
  constexpr int in_a_row = 4;
  double seconds = 0;
  for (int i = 0; i <= in_a_row; ++i) {
    const double begun = MPI_Wtime();
    Made made = create(way, place);
    if (i > 0) seconds += MPI_Wtime() - begun;
    if (made.comm != MPI_COMM_NULL) {
      check(made.comm, place);
      MPI_Comm_free(&made.comm);
    }
    if (made.enrolled != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&made.enrolled);
  }
  return seconds / in_a_row;
}

/// Measures each way. The median times are those at rank 0.
void measure_size(const Place& place, int parent, int size, int repetitions, MPIX_Sysgroup everybody,
                  Lines& lines) {
  const auto samples = take(ways.size(), repetitions, [&](std::size_t i) {
    MPIX_Sysgroup_barrier(everybody); // ranks without a core sleep in it
    const bool takes_part =
        place.is_member || (ways[i].collective_over_parent && place.parent != MPI_COMM_NULL);
    return takes_part ? seconds_of(ways[i], place) : 0;
  });
  for (std::size_t i = 0; i < ways.size(); ++i)
    lines.add({{"parent", parent},
               {"group", size},
               {"way", ways[i].name},
               {"collective_over_parent", ways[i].collective_over_parent},
               {"seconds", median(samples[i])}});
}

/// Measures groups of the first ranks of a parent, which has the first `parent` ranks of MPI_COMM_WORLD.
/// Collective over MPI_COMM_WORLD. Ranks that take no part sleep.
void measure(int parent, int repetitions, Lines& lines) {
  MPIX_Sysgroup everybody = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &everybody);
  Place place{};
  MPI_Comm_split(MPI_COMM_WORLD, own_rank() < parent ? 0 : MPI_UNDEFINED, own_rank(), &place.parent);
  if (place.parent != MPI_COMM_NULL) MPIX_Sysgroup_from_comm(place.parent, MPI_INFO_NULL, &place.enrolled);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int size = 1; size <= parent; size *= 2) {
    std::array range{0, size - 1, 1};
    MPI_Group_range_incl(all, 1, reinterpret_cast<int(*)[3]>(range.data()), &place.group);
    place.is_member = own_rank() < size;
    measure_size(place, parent, size, repetitions, everybody, lines);
    MPI_Group_free(&place.group);
  }
  MPI_Group_free(&all);
  if (place.parent != MPI_COMM_NULL) {
    MPIX_Sysgroup_free(&place.enrolled);
    MPI_Comm_free(&place.parent);
  }
  MPIX_Sysgroup_barrier(everybody);
  MPIX_Sysgroup_free(&everybody);
}

} // namespace

int main(int argc, char** argv) {
  int repetitions = 3;
  Program program(
      "creation",
      "The time to create a communicator of a group: by MPI, collectively over the parent; by the members\n"
      "of the group alone; and to create a system-ranked group by enrolment. Median times at rank 0, in us.\n"
      "Run it with mpiexec.");
  program.add_repetitions(repetitions);
  return program.run_ranks(argc, argv, [&](int, Lines& lines) {
    for (int parent = 2; parent <= rank_count(); parent *= 2) measure(parent, repetitions, lines);
  });
}
