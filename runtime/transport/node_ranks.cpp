// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/node_ranks.hpp"

#include <numeric>

#include "transport/world.hpp"

namespace helper::transport {

NodeRanks::NodeRanks(MPI_Comm all) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  comm_ = Communicator(node);
  int own = 0;
  int count = 0;
  PMPI_Comm_rank(comm_, &own);
  PMPI_Comm_size(comm_, &count);
  own_ = static_cast<std::size_t>(own);
  in_world_.resize(static_cast<std::size_t>(count));
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
