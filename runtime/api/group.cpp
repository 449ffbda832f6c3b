// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The group-collective communicators of mpi_helper.h.

#include "mpi_helper.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "api/guarded.hpp"
#include "groups/creation/create.hpp"
#include "process/notices.hpp"
#include "process/process.hpp"
#include "process/state.hpp"
#include "ranks/communicator.hpp"
#include "ranks/world.hpp"

using namespace helper;
using namespace helper::groups;
using api::Rejected;

namespace {

void check_tag(int tag, MPI_Comm comm) {
  const int most = ranks::world::largest_tag(comm);
  if (tag < 0 || tag > most)
    throw Rejected(MPI_ERR_TAG, "tag is " + std::to_string(tag) + ", not in 0 to " + std::to_string(most));
}

/// Checks the arguments and returns the members. At a caller outside the group, `rank` is MPI_UNDEFINED.
creation::Members find_members(MPI_Comm comm, MPI_Group group, int tag) {
  api::check_communicator(comm);
  check_tag(tag, comm);
  if (group == MPI_GROUP_NULL) throw Rejected(MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
  creation::Members members{comm, group, tag, MPI_UNDEFINED, {}};
  int size = 0;
  api::reported(PMPI_Group_size(group, &size));
  PMPI_Group_rank(group, &members.rank);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  members.ranks.resize(own.size());
  const ranks::Group all(comm);
  PMPI_Group_translate_ranks(group, size, own.data(), all, members.ranks.data());
  const auto missing = std::ranges::find(members.ranks, MPI_UNDEFINED);
  if (missing != members.ranks.end())
    throw Rejected(MPI_ERR_GROUP, "group has " + std::to_string(size) + " processes, of which number " +
                                      std::to_string(missing - members.ranks.begin()) + " is not in comm");
  return members;
}

creation::Options options(const char* function, MPI_Info info) {
  process::say_unread_keys(function, info,
                           std::array{"mpi_helper_group_algorithm", "mpi_helper_group_outsider"});
  const auto [algorithm, rejects_outsiders] = process::current().group;
  return {api::hint(info, "mpi_helper_group_algorithm", algorithm, creation::parse_algorithm),
          api::hint(info, "mpi_helper_group_outsider", rejects_outsiders, creation::parse_outsider)};
}

MPI_Comm create(const char* function, MPI_Comm comm, MPI_Group group, int tag, MPI_Info info) {
  const creation::Members members = find_members(comm, group, tag);
  const auto [algorithm, rejects_outsiders] = options(function, info);
  if (members.rank == MPI_UNDEFINED) {
    if (rejects_outsiders)
      throw Rejected(MPI_ERR_GROUP, "the caller is not in group, which has " +
                                        std::to_string(members.size()) + " processes");
    return MPI_COMM_NULL;
  }
  team::Member* const member = process::present_member();
  if (member == nullptr) return creation::create(members, algorithm, nullptr);
  const team::InCall in_call(*member, function);
  return creation::create(members, algorithm, member);
}

int guarded_create(const char* function, MPI_Comm comm, MPI_Group group, int tag, MPI_Info info,
                   MPI_Comm* newcomm) {
  return api::guarded(function, comm, [&] {
    api::check_pointer(newcomm, "newcomm");
    *newcomm = MPI_COMM_NULL;
    *newcomm = create(function, comm, group, tag, info);
  });
}

} // namespace

extern "C" {

int MPIX_Group_comm_create(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return guarded_create("MPIX_Group_comm_create", comm, group, tag, MPI_INFO_NULL, newcomm);
}

int MPIX_Group_comm_create_info(MPI_Comm comm, MPI_Group group, int tag, MPI_Info info, MPI_Comm* newcomm) {
  return guarded_create("MPIX_Group_comm_create_info", comm, group, tag, info, newcomm);
}

} // extern "C"
