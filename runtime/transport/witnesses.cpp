// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/witnesses.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "transport/segment.hpp"

namespace helper::transport::witnesses {

namespace {

/// Returns a number that is the same everywhere for the same text, and as good as never for another one.
std::uint64_t fingerprint(const std::string& text) noexcept {
  return std::max<std::uint64_t>(std::hash<std::string>{}(text), 1);
}

using segment::Name;

/// Makes an empty file of this name in /dev/shm, and returns whether that worked.
bool make_file(const Name& name) {
  const int file = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) close(file);
  return file >= 0;
}

bool sees_file(const Name& name) {
  const int file = shm_open(name.data(), O_RDONLY | O_CLOEXEC, 0);
  if (file >= 0) close(file);
  return file >= 0;
}

} // namespace

Verdict compare(std::span<const Said> all) {
  std::map<std::uint64_t, std::uint64_t> by_mpi; // what the system says of the first process on each node
  std::set<std::uint64_t> by_system;
  bool splits = false;
  bool known = true;
  for (const Said& said : all) {
    const std::uint64_t of_first = by_mpi.try_emplace(said.by_mpi, said.by_system).first->second;
    splits = splits || of_first != said.by_system;
    known = known && said.by_system != 0;
    by_system.insert(said.by_system);
  }
  Verdict verdict{.nodes_by_mpi = by_mpi.size()};
  if (!known) return verdict;
  verdict.nodes_by_system = by_system.size();
  verdict.system_joins = !splits && by_system.size() < by_mpi.size();
  verdict.disagree = splits || verdict.system_joins;
  return verdict;
}

std::uint64_t here() {
  std::array<char, 256> host{};
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, boot);
  struct stat shm {};
  if (gethostname(host.data(), host.size() - 1) != 0 || boot.empty() || stat("/dev/shm", &shm) != 0) return 0;
  return fingerprint(std::string(host.data()) + "\n" + boot + "\n" + std::to_string(shm.st_dev) + "\n" +
                     std::to_string(shm.st_ino));
}

bool share_files(MPI_Comm all, MPI_Comm node) {
  Name name = segment::unused_name();
  const int rank = rank_in(node);
  const bool made = rank == 0 && make_file(name);
  PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, node);
  int everywhere = (rank == 0 ? made : sees_file(name)) ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, all); // it also says that all have looked
  if (made) shm_unlink(name.data());
  return everywhere != 0;
}

std::string describe(const Verdict& verdict, bool system_is_believed) {
  return "MPI says that there are " + std::to_string(verdict.nodes_by_mpi) +
         " nodes, but host names, boot ids and /dev/shm that there are " +
         std::to_string(verdict.nodes_by_system) + ", and " + (system_is_believed ? "these are" : "MPI is") +
         " believed";
}

} // namespace helper::transport::witnesses
