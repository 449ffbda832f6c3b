// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/node_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "transport/witnesses.hpp"
#include "transport/world.hpp"

namespace helper::transport {

namespace {

/// Returns what is said of where all processes are. `node` is what MPI says of this one.
std::vector<witnesses::Said> hear(MPI_Comm all, MPI_Comm node) {
  std::vector<witnesses::Said> said(static_cast<std::size_t>(size_of(all)));
  witnesses::Said here{.by_mpi = static_cast<std::uint64_t>(rank_in(all)), .by_system = witnesses::here()};
  PMPI_Bcast(&here.by_mpi, 1, MPI_UINT64_T, 0, node); // the ranks of `node` are in the order of `all`
  PMPI_Allgather(&here, 2, MPI_UINT64_T, said.data(), 2, MPI_UINT64_T, all);
  return said;
}

/// Returns the processes of `all` of which the system says what it says of this one.
Communicator split_by_system(MPI_Comm all, const std::vector<witnesses::Said>& said) {
  const std::uint64_t here = said[static_cast<std::size_t>(rank_in(all))].by_system;
  const auto first = std::ranges::find(said, here, &witnesses::Said::by_system);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split(all, static_cast<int>(first - said.begin()), 0, &node);
  return Communicator(node);
}

} // namespace

NodeRanks::NodeRanks(MPI_Comm all) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  comm_ = Communicator(node);
  const std::vector<witnesses::Said> said = hear(all, comm_);
  if (const witnesses::Verdict verdict = witnesses::compare(said); verdict.disagree) {
    Communicator by_system = verdict.system_joins ? split_by_system(all, said) : Communicator();
    const bool believed = verdict.system_joins && witnesses::share_files(all, by_system);
    if (believed) comm_ = std::move(by_system);
    disagreement_ = witnesses::describe(verdict, believed);
  }
  own_ = static_cast<std::size_t>(rank_in(comm_));
  in_world_.resize(static_cast<std::size_t>(size_of(comm_)));
  in_world_ = gather(world::own_rank());
}

bool NodeRanks::everywhere(bool here) const {
  return least(here ? 1 : 0) != 0;
}

std::size_t NodeRanks::least(std::size_t here) const {
  static_assert(sizeof(std::size_t) == sizeof(unsigned long));
  PMPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_UNSIGNED_LONG, MPI_MIN, comm_);
  return here;
}

std::vector<std::string> NodeRanks::gather(const std::string& here) const {
  const int length = static_cast<int>(here.size());
  const std::vector<int> lengths = gather(length);
  std::vector<int> offsets(count() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  std::string all(static_cast<std::size_t>(offsets.back()), ' ');
  PMPI_Allgatherv(here.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, comm_);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < count(); ++rank) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

} // namespace helper::transport
