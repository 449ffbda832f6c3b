// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "shm/segment.hpp"

namespace helper::shm {

namespace {

// Each region takes one of the mappings of the process, whose number Linux limits (usually 65,530).
constexpr std::size_t most_regions = 4096;

using Regions = std::map<const std::byte*, Region>; // by address
using Node = Regions::node_type;

/// The file that contains all regions of this process, one after the other. A place is never reused, so it
/// identifies a region, and the file only grows. Only pages that were written take memory.
class File {
public:
  /// Appends a region of `bytes` bytes, described in `region`. Returns nullptr if the system has no memory.
  std::byte* extend(std::size_t bytes, Region& region) noexcept {
    if (!is_there() && !(is_new() && make())) return nullptr;
    const std::uint64_t begin = size_;
    if (!segment::may_make_file(begin + bytes) || ftruncate(file_, static_cast<off_t>(begin + bytes)) != 0)
      return nullptr;
    void* const address =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(begin));
    if (address == MAP_FAILED) return nullptr;
    size_ += bytes;
    region = {getpid(), file_, begin, bytes, state_.st_dev, state_.st_ino};
    return static_cast<std::byte*>(address);
  }

private:
  bool is_new() const noexcept { return file_ < 0; }

  /// Returns whether the descriptor still belongs to the file, and this process owns it. A program may close
  /// descriptors that it does not know, and a forked child must not extend its parent's file.
  bool is_there() const noexcept {
    struct stat found;
    return !is_new() && owner_ == getpid() && fstat(file_, &found) == 0 && found.st_dev == state_.st_dev &&
           found.st_ino == state_.st_ino;
  }

  bool make() noexcept {
    file_ = memfd_create("mpi_helper", MFD_CLOEXEC);
    owner_ = getpid();
    return file_ >= 0 && fstat(file_, &state_) == 0;
  }

  int file_ = -1;
  pid_t owner_ = 0;
  struct stat state_ {};
  std::uint64_t size_ = 0;
};

/// Returns a region's memory to the system. Other processes may have mapped the region, so the file is not
/// truncated: accesses to their mappings would raise SIGBUS. A forked child only unmaps inherited memory.
void give_back(const Node& node) noexcept {
  void* const address = const_cast<std::byte*>(node.key());
  if (node.mapped().owner == getpid()) madvise(address, node.mapped().bytes, MADV_REMOVE);
  munmap(address, node.mapped().bytes);
}

/// Freed regions that are kept for reuse, since making a region and touching its pages are slow.
///
/// A reused region is the same memory in the same place for all processes. A process that still has it mapped
/// sees what the owner writes, as if it had never been freed. No process caches contents of a region.
class IdleRegions {
public:
  /// Returns the size of the region for `bytes` bytes. There are few sizes, so that regions can be reused.
  static std::size_t size_for(std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    return bytes <= most_rounded ? std::bit_ceil(std::max(bytes, page)) : (bytes + page - 1) / page * page;
  }

  /// Returns the region of this size that was freed last, as it may still be in the caches; empty if none.
  Node take(std::size_t bytes) noexcept {
    const pid_t self = getpid(); // a forked child finds its parent's regions here
    for (std::size_t place = count_; place-- > 0;) {
      const Region& region = nodes_[place].mapped();
      if (region.bytes == bytes && region.owner == self) return remove(place);
    }
    return {};
  }

  /// Keeps `node`. If there is no place for it, gives back the regions that have been kept for longest.
  void put(Node node) noexcept {
    const std::size_t bytes = node.mapped().bytes;
    if (bytes > most_bytes || node.mapped().owner != getpid()) return give_back(node);
    while (count_ == nodes_.size() || bytes_ + bytes > most_bytes) give_back(remove(0));
    nodes_[count_++] = std::move(node);
    bytes_ += bytes;
  }

  /// Returns all regions to the system. Returns whether there were any.
  bool clear() noexcept {
    const bool any = count_ != 0;
    while (count_ != 0) give_back(remove(count_ - 1));
    return any;
  }

private:
  static constexpr std::size_t most_rounded = std::size_t{4} << 20;
  // As much as glibc's malloc keeps of freed memory.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  Node remove(std::size_t place) noexcept {
    Node node = std::move(nodes_[place]);
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(place);
    std::move(begin + 1, nodes_.begin() + static_cast<std::ptrdiff_t>(count_), begin);
    --count_;
    bytes_ -= node.mapped().bytes;
    return node;
  }

  std::array<Node, 32> nodes_; // in the order in which they were freed
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// The regions that this process has allocated.
struct Store {
  std::mutex mutex; // guards everything below
  Regions used;
  IdleRegions idle;
  File file;
};

/// Makes a region that has not been used before; empty if the system has no memory.
Node make(File& file, std::size_t bytes) noexcept {
  try {
    Regions made;
    Region region;
    const auto place = made.emplace(nullptr, region).first; // first, since it may fail
    Node node = made.extract(place);
    node.key() = file.extend(bytes, node.mapped());
    return node.key() != nullptr ? std::move(node) : Node();
  } catch (const std::bad_alloc&) {
    return {};
  }
}

// The most mappings, enough for several peers. Beyond this number all are dropped, and made again when used.
constexpr std::size_t most_mappings = 1024;

// Beyond this many bytes, mappings of memory given back are dropped; again when the remaining bytes double.
constexpr std::uint64_t least_looked_through = std::uint64_t{1} << 30;

// try_mapping() writes it, before any other thread communicates.
constinit bool mapping_works = false;

/// Regions of other processes that this process has mapped, by owner and place.
struct Mappings {
  std::mutex mutex; // guards everything below
  std::map<std::pair<pid_t, std::uint64_t>, std::shared_ptr<const Mapping>> all;
  std::uint64_t bytes = 0; // of all
  std::uint64_t most_bytes = least_looked_through;

  /// Drops mappings whose owners have given the memory back to the system; mappings in use stay.
  void look_through() noexcept {
    std::erase_if(all, [this](const auto& entry) {
      const Mapping& mapping = *entry.second;
      const bool is_given_back = mapping.is_given_back();
      if (is_given_back) bytes -= mapping.bytes();
      return is_given_back;
    });
    most_bytes = std::max(least_looked_through, 2 * bytes);
  }
};

/// Returns whether page-aligned memory satisfies the alignment in an info object for MPI_Alloc_mem.
bool pages_suffice(MPI_Info info) noexcept {
  if (info == MPI_INFO_NULL) return true;
  std::array<char, 32> value{};
  int is_set = 0;
  PMPI_Info_get(info, "mpi_minimum_memory_alignment", static_cast<int>(value.size()) - 1, value.data(),
                &is_set);
  return is_set == 0 || std::strtoll(value.data(), nullptr, 10) <= sysconf(_SC_PAGESIZE);
}

} // namespace

std::byte* Region::allocate(std::size_t bytes) noexcept {
  Store& all = lifetime::sole<Store>();
  const std::lock_guard lock(all.mutex);
  if (all.used.size() >= most_regions) return nullptr;
  const std::size_t size = IdleRegions::size_for(bytes);
  Node node = all.idle.take(size);
  if (node.empty()) node = make(all.file, size);
  if (node.empty() && all.idle.clear()) node = make(all.file, size); // memory may have been in idle regions
  if (node.empty()) return nullptr;
  const auto place = all.used.insert(std::move(node)).position;
  return const_cast<std::byte*>(place->first);
}

std::byte* Region::allocate(std::size_t bytes, MPI_Info info) noexcept {
  return can_map() && pages_suffice(info) ? allocate(bytes) : nullptr;
}

bool Region::release(const void* address) noexcept {
  Store& all = lifetime::sole<Store>();
  const std::lock_guard lock(all.mutex);
  const auto found = all.used.find(static_cast<const std::byte*>(address));
  if (found == all.used.end()) return false;
  all.idle.put(all.used.extract(found));
  return true;
}

std::optional<Region::RegionPart> Region::find(const void* address, std::size_t bytes) noexcept {
  const auto* const begin = static_cast<const std::byte*>(address);
  Store& all = lifetime::sole<Store>();
  const std::lock_guard lock(all.mutex);
  auto behind = all.used.upper_bound(begin);
  if (behind == all.used.begin()) return std::nullopt;
  const auto& [start, region] = *--behind;
  const auto offset = static_cast<std::size_t>(begin - start);
  if (offset > region.bytes || bytes > region.bytes - offset) return std::nullopt;
  return RegionPart{region, offset};
}

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

bool Mapping::is_given_back() const noexcept {
  unsigned char is_in_memory = 1;
  return mincore(const_cast<std::byte*>(address_), 1, &is_in_memory) == 0 && (is_in_memory & 1) == 0;
}

std::shared_ptr<const Mapping> Mapping::of(const Region& region) {
  auto& mappings = lifetime::sole<Mappings>();
  auto& all = mappings.all;
  const std::lock_guard lock(mappings.mutex);
  const std::pair key(region.owner, region.begin);
  const auto found = all.find(key);
  if (found != all.end()) return found->second;
  std::shared_ptr<const Mapping> made(new Mapping(region));
  if (made->address() == nullptr) return nullptr;
  if (mappings.bytes + region.bytes > mappings.most_bytes) mappings.look_through();
  if (all.size() == most_mappings) {
    all.clear(); // mappings in use stay
    mappings.bytes = 0;
  }
  all.emplace(key, made);
  mappings.bytes += region.bytes;
  return made;
}

void try_mapping(const ranks::NodeRanks& node) {
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
  mapping_works = node.everywhere(reached); // it also synchronises: all have read
  if (memory != nullptr) Region::release(memory);
}

bool can_map() noexcept {
  return mapping_works;
}

} // namespace helper::shm
