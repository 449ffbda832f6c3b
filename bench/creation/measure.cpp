// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "measure.hpp"

#include "common/statistics.hpp"
#include "textbook.hpp"

#include <mpi_helper.h>

#include <array>
#include <stdexcept>

namespace bench {
namespace {

/// What this rank and the others of its process count need for a creation.
struct Place {
  MPI_Comm parent; ///< MPI_COMM_NULL outside of it
  MPI_Group group;
  bool is_member;
  int rank;               ///< in the parent
  MPIX_Sysgroup enrolled; ///< the parent's ranks; null outside
};

/// What came of it, on a member: one of both.
struct Made {
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Sysgroup enrolled = MPIX_SYSGROUP_NULL;
};

/// A barrier of all ranks, by the library, which waits asleep where there are more ranks than processing
/// units. MPICH's would take the cores from those that are measured.
class SleepingBarrier {
public:
  SleepingBarrier() { MPI_Helper_team_create(1, 1, &team_); }
  ~SleepingBarrier() { MPI_Helper_team_free(&team_); }
  SleepingBarrier(const SleepingBarrier&) = delete;
  SleepingBarrier& operator=(const SleepingBarrier&) = delete;
  void wait() {
    MPI_Helper_join(team_);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Helper_leave(team_);
  }

private:
  MPI_Helper_team team_ = MPI_HELPER_TEAM_NULL;
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
    MPI_Comm_split(place.parent, place.is_member ? 0 : MPI_UNDEFINED, place.rank, &made.comm);
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

/// Throws unless a communicator has the members of the group in their order.
void check(MPI_Comm made, const Place& place) {
  MPI_Group members = MPI_GROUP_NULL;
  int result = MPI_UNEQUAL;
  MPI_Comm_group(made, &members);
  MPI_Group_compare(members, place.group, &result);
  MPI_Group_free(&members);
  if (result != MPI_IDENT) throw std::runtime_error("a communicator has other members than its group");
}

/// Of one creation, the mean of some in a row. The first of them, for which the ranks come at different
/// times, does not count; nor does freeing.
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

Creation measure_size(const Place& place, int parent, int size, int repetitions, SleepingBarrier& barrier) {
  std::vector<std::vector<double>> samples(ways().size());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < ways().size(); ++i) {
      barrier.wait();
      const bool takes_part =
          place.is_member || (ways()[i].collective_over_parent && place.parent != MPI_COMM_NULL);
      samples[i].push_back(takes_part ? seconds_of(ways()[i], place) : 0);
    }
  }
  Creation creation{parent, size, {}};
  for (const auto& of_way : samples) creation.seconds.push_back(quantiles(of_way).median);
  return creation;
}

} // namespace

const std::vector<Way>& ways() {
  static const std::vector<Way> all{{"MPI_Comm_create", true}, {"MPI_Comm_split", true}, {"enrolment", true},
                                    {"direct", false},         {"recursive", false},     {"textbook", false},
                                    {"multiway", false},       {"from_group", false}};
  return all;
}

std::vector<Creation> measure(int parent, int repetitions) {
  SleepingBarrier barrier;
  Place place{};
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_split(MPI_COMM_WORLD, place.rank < parent ? 0 : MPI_UNDEFINED, place.rank, &place.parent);
  if (place.parent != MPI_COMM_NULL) MPIX_Sysgroup_from_comm(place.parent, MPI_INFO_NULL, &place.enrolled);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<Creation> creations;
  for (int size = 1; size <= parent; size *= 2) {
    std::array range{0, size - 1, 1};
    MPI_Group_range_incl(all, 1, reinterpret_cast<int(*)[3]>(range.data()), &place.group);
    place.is_member = place.rank < size;
    creations.push_back(measure_size(place, parent, size, repetitions, barrier));
    MPI_Group_free(&place.group);
  }
  MPI_Group_free(&all);
  if (place.parent != MPI_COMM_NULL) {
    MPIX_Sysgroup_free(&place.enrolled);
    MPI_Comm_free(&place.parent);
  }
  barrier.wait();
  return creations;
}

} // namespace bench
