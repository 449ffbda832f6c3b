// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "transport/segment.hpp"

namespace helper::transport {

namespace {

// Each takes one of the process's descriptors, of which there often are 1,024.
constexpr std::size_t most_regions = 256;
// A process may map what several peers have; when there are more, all are mapped anew at their next use.
constexpr std::size_t most_mappings = 1024;

// Written by try_mapping(), before any other thread communicates.
constinit bool mapping_works = false;

/// What this process has allocated, by address, and what it has mapped of others, by owner and serial. Never
/// destroyed: threads may communicate until the process ends.
struct Store {
  std::mutex mutex; // guards everything below
  std::map<const std::byte*, Region> own;
  std::uint64_t serial = 0;
  std::map<std::pair<pid_t, std::uint64_t>, std::shared_ptr<const Mapping>> mappings;
};

Store& store() {
  static auto* const instance = new Store;
  return *instance;
}

std::byte* map(int file, std::size_t bytes, int protection) noexcept {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

/// A file without a name, of so many bytes; -1 if the system has none for us.
int make_file(std::size_t bytes) noexcept {
  if (!segment::may_make_file(bytes)) return -1;
  const int file = memfd_create("mpi_helper", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    return -1;
  }
  return file;
}

std::optional<struct stat> state(int file) noexcept {
  struct stat state;
  if (fstat(file, &state) != 0) return std::nullopt;
  return state;
}

} // namespace

std::byte* Region::allocate(std::size_t bytes) noexcept {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  if (all.own.size() >= most_regions) return nullptr;
  const int file = make_file(bytes);
  if (file < 0) return nullptr;
  const auto made = state(file);
  std::byte* const address = made ? map(file, bytes, PROT_READ | PROT_WRITE) : nullptr;
  try {
    if (address != nullptr) {
      all.own.emplace(address, Region{getpid(), file, ++all.serial, bytes, made->st_dev, made->st_ino});
      return address;
    }
  } catch (const std::bad_alloc&) {
    munmap(address, bytes);
  }
  close(file);
  return nullptr;
}

bool Region::release(const void* address) noexcept {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  const auto found = all.own.find(static_cast<const std::byte*>(address));
  if (found == all.own.end()) return false;
  const Region& region = found->second;
  // Not shortened, which would make the others' mappings traps. A child of the owner's, which may free what
  // it has been left, only stops sharing it.
  if (region.owner == getpid())
    fallocate(region.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              static_cast<off_t>(region.bytes));
  munmap(const_cast<void*>(address), region.bytes);
  close(region.descriptor);
  all.own.erase(found);
  return true;
}

std::optional<Region::Part> Region::find(const void* address, std::size_t bytes) noexcept {
  const auto* const begin = static_cast<const std::byte*>(address);
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  auto behind = all.own.upper_bound(begin);
  if (behind == all.own.begin()) return std::nullopt;
  const auto& [start, region] = *--behind;
  const auto offset = static_cast<std::size_t>(begin - start);
  if (offset > region.bytes || bytes > region.bytes - offset) return std::nullopt;
  return Part{region, offset};
}

Mapping::Mapping(const Region& region) noexcept {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/%ld/fd/%d", static_cast<long>(region.owner), region.descriptor);
  const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // whatever the descriptor may be by now
  if (file < 0) return;
  const auto found = state(file);
  if (found && found->st_dev == region.device && found->st_ino == region.inode &&
      static_cast<std::uint64_t>(found->st_size) == region.bytes) {
    bytes_ = region.bytes;
    address_ = map(file, bytes_, PROT_READ);
  }
  close(file);
}

Mapping::~Mapping() {
  if (address_ != nullptr) munmap(const_cast<std::byte*>(address_), bytes_);
}

std::shared_ptr<const Mapping> Mapping::of(const Region& region) {
  Store& all = store();
  const std::lock_guard lock(all.mutex);
  const std::pair key(region.owner, region.serial);
  const auto found = all.mappings.find(key);
  if (found != all.mappings.end()) return found->second;
  std::shared_ptr<const Mapping> made(new Mapping(region));
  if (made->address() == nullptr) return nullptr;
  if (all.mappings.size() == most_mappings) all.mappings.clear(); // but for those in use
  all.mappings.emplace(key, made);
  return made;
}

void try_mapping(MPI_Comm node) {
  std::random_device random;
  const std::array<std::uint32_t, 4> word{random(), random(), random(), random()};
  struct Trial {
    std::array<std::uint32_t, 4> word;
    Region region;
  };
  Trial mine{word, {}};
  std::byte* const memory = Region::allocate(sizeof word);
  if (memory != nullptr) {
    std::memcpy(memory, &word, sizeof word);
    mine.region = Region::find(memory, sizeof word)->region;
  }
  int size = 0;
  PMPI_Comm_size(node, &size);
  std::vector<Trial> trials(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, trials.data(), sizeof mine, MPI_BYTE, node);
  int reached = 1;
  for (const Trial& trial : trials) {
    const auto mapping = trial.region.bytes == 0 ? nullptr : Mapping::of(trial.region);
    if (mapping == nullptr || std::memcmp(mapping->address(), &trial.word, sizeof word) != 0) reached = 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &reached, 1, MPI_INT, MPI_MIN, node); // also: all have read
  if (memory != nullptr) Region::release(memory);
  mapping_works = reached != 0;
}

bool can_map() noexcept {
  return mapping_works;
}

} // namespace helper::transport
