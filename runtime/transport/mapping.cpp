// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "lifetime/never_destroyed.hpp"
#include "transport/region.hpp"
#include "transport/segment.hpp"

namespace helper::transport {

namespace {

// A process may map what several peers have; when there are more, all are mapped anew at their next use.
constexpr std::size_t most_mappings = 1024;

// It is written by try_mapping(), before any other thread communicates.
constinit bool mapping_works = false;

/// These are what this process has mapped of others, by owner and place.
struct Mappings {
  std::mutex mutex; // guards the rest
  std::map<std::pair<pid_t, std::uint64_t>, std::shared_ptr<const Mapping>> all;
};

// Returns the mappings, which are never destroyed: threads may communicate until the process ends.
Mappings& mappings() {
  static lifetime::NeverDestroyed<Mappings> instance;
  return *instance;
}

} // namespace

Mapping::Mapping(const Region& region) noexcept {
  const int file = segment::open_of(region.owner, region.descriptor, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat found;
  if (fstat(file, &found) == 0 && found.st_dev == region.device && found.st_ino == region.inode &&
      static_cast<std::uint64_t>(found.st_size) >= region.begin + region.bytes) {
    void* const address =
        mmap(nullptr, region.bytes, PROT_READ, MAP_SHARED, file, static_cast<off_t>(region.begin));
    if (address != MAP_FAILED) {
      address_ = static_cast<const std::byte*>(address);
      bytes_ = region.bytes;
    }
  }
  close(file);
}

Mapping::~Mapping() {
  if (address_ != nullptr) munmap(const_cast<std::byte*>(address_), bytes_);
}

std::shared_ptr<const Mapping> Mapping::of(const Region& region) {
  auto& [mutex, all] = mappings();
  const std::lock_guard lock(mutex);
  const std::pair key(region.owner, region.begin);
  const auto found = all.find(key);
  if (found != all.end()) return found->second;
  std::shared_ptr<const Mapping> made(new Mapping(region));
  if (made->address() == nullptr) return nullptr;
  if (all.size() == most_mappings) all.clear(); // those in use stay mapped
  all.emplace(key, made);
  return made;
}

void try_mapping(const NodeRanks& node) {
  std::random_device random;
  const std::array<std::uint32_t, 4> word{random(), random(), random(), random()};
  struct MappingTrial {
    std::array<std::uint32_t, 4> word;
    Region region;
  };
  MappingTrial mine{word, {}};
  std::byte* const memory = Region::allocate(sizeof word);
  if (memory != nullptr) {
    std::memcpy(memory, &word, sizeof word);
    mine.region = Region::find(memory, sizeof word)->region;
  }
  bool reached = true;
  for (const MappingTrial& trial : node.gather(mine)) {
    const auto mapping = trial.region.bytes == 0 ? nullptr : Mapping::of(trial.region);
    if (mapping == nullptr || std::memcmp(mapping->address(), &trial.word, sizeof word) != 0) reached = false;
  }
  mapping_works = node.everywhere(reached); // it also says that all have read
  if (memory != nullptr) Region::release(memory);
}

bool can_map() noexcept {
  return mapping_works;
}

} // namespace helper::transport
