// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/node_ranks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "ranks/world.hpp"

namespace helper::ranks {

namespace {

/// Returns a number that identifies the machine's boot and this process's /dev/shm; 0 if unknown.
std::uint64_t memory_seen() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, boot);
  struct stat shm {};
  if (boot.empty() || stat("/dev/shm", &shm) != 0) return 0;
  const std::string seen = boot + "\n" + std::to_string(shm.st_dev) + "\n" + std::to_string(shm.st_ino);
  return std::max<std::uint64_t>(std::hash<std::string>{}(seen), 1);
}

/// Returns the processes of `all` with the same memory_seen(); MPI_COMM_NULL if that is 0 at any process.
Communicator split_by_memory(MPI_Comm all) {
  const std::uint64_t own = memory_seen();
  std::vector<std::uint64_t> seen(static_cast<std::size_t>(size_of(all)));
  PMPI_Allgather(&own, 1, MPI_UINT64_T, seen.data(), 1, MPI_UINT64_T, all);
  if (std::ranges::count(seen, 0U) != 0) return {};
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split(all, static_cast<int>(std::ranges::find(seen, own) - seen.begin()), 0, &node);
  return Communicator(node);
}

/// Opens or creates an empty file of this name in /dev/shm. Returns whether that worked.
bool open_file(const ShmName& name, int flags) {
  const int file = shm_open(name.data(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) close(file);
  return file >= 0;
}

/// Returns whether the processes of every node see one another's files in /dev/shm; equal at all processes.
/// Collective over `all`; `node` is this process's node.
bool share_files(MPI_Comm all, MPI_Comm node) {
  ShmName name = unused_shm_name();
  const bool is_first = rank_in(node) == 0;
  const bool made = is_first && open_file(name, O_CREAT | O_EXCL | O_RDWR);
  PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, node);
  int everywhere = (is_first ? made : open_file(name, O_RDONLY)) ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, all); // afterwards nobody needs the file
  if (made) shm_unlink(name.data());
  return everywhere != 0;
}

} // namespace

ShmName unused_shm_name() {
  ShmName name{};
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/mpi_helper.%ld.%08x%08x", static_cast<long>(getpid()), random(),
                random());
  return name;
}

NodeRanks::NodeRanks(MPI_Comm all) : comm_(split_by_memory(all)) {
  if (comm_ == MPI_COMM_NULL || !share_files(all, comm_)) {
    MPI_Comm node = MPI_COMM_NULL;
    PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    comm_ = Communicator(node);
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

} // namespace helper::ranks
