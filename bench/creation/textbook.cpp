// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "textbook.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

namespace bench {

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

} // namespace bench
