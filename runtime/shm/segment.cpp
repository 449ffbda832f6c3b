// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include "lifetime/at_end.hpp"
#include "shm/free_memory.hpp"

namespace helper::shm::segment {

namespace {

constexpr int populate_write = 23; // MADV_POPULATE_WRITE, which older headers lack

/// What a process tells the other processes about its segment.
struct Offer {
  std::size_t bytes = 0;
  pid_t owner = 0;
  int descriptor = -1;   // of an unnamed segment
  ranks::ShmName name{}; // unique, so it identifies also an unnamed segment
};

std::byte* map(int file, std::size_t bytes, Access access) noexcept {
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

/// Lets the system provide every page now: if a file system became full later, a write would raise SIGBUS.
bool reserve(int file, std::size_t bytes) noexcept {
  // Steps are short: a signal undoes the step that it interrupts, and a timer may send signals repeatedly.
  constexpr std::size_t most = std::size_t{1} << 20;
  for (std::size_t begin = 0; begin < bytes; begin += most) {
    int error = EINTR;
    while (error == EINTR)
      error =
          posix_fallocate(file, static_cast<off_t>(begin), static_cast<off_t>(std::min(most, bytes - begin)));
    if (error != 0) return false;
  }
  return true;
}

/// Makes and maps this process's segment. Returns nullptr if the segment has no bytes or the system refuses.
/// Other processes can open the segment while the offer's descriptor is open.
std::byte* make(SegmentKind kind, std::size_t at_once, Offer& offer) {
  if (offer.bytes == 0 || !may_make_file(offer.bytes)) return nullptr;
  const char* const name = offer.name.data();
  offer.descriptor = kind == SegmentKind::unnamed
                         ? memfd_create(name, MFD_CLOEXEC)
                         : shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const bool is_made = offer.descriptor >= 0 &&
                       ftruncate(offer.descriptor, static_cast<off_t>(offer.bytes)) == 0 &&
                       reserve(offer.descriptor, std::min(offer.bytes, at_once));
  return is_made ? map(offer.descriptor, offer.bytes, Access::write) : nullptr;
}

/// Returns whether `file` is an unnamed segment made as `name`, according to /proc.
bool is_unnamed(int file, const char* name) {
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const std::string expected = "/memfd:" + std::string(name) + " (deleted)";
  std::array<char, 128> shown{};
  const ssize_t length = readlink(link.c_str(), shown.data(), shown.size());
  return length >= 0 && expected == std::string(shown.data(), static_cast<std::size_t>(length));
}

/// Maps another process's segment. Returns nullptr if the system refuses, or opens another file.
std::byte* open_offered(const Offer& offer, SegmentKind kind, Access access) {
  const int flags = (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  const int file = kind == SegmentKind::unnamed ? open_of(offer.owner, offer.descriptor, flags)
                                                : shm_open(offer.name.data(), flags, 0);
  if (file < 0) return nullptr;
  const bool right = kind == SegmentKind::named || is_unnamed(file, offer.name.data());
  std::byte* const address = right ? map(file, offer.bytes, access) : nullptr;
  close(file);
  return address;
}

/// Does the rest of segment::share(), after this process has made its own segment, at `address`.
std::vector<std::byte*> map_all(const ranks::NodeRanks& node, SegmentKind kind, const Offer& own,
                                std::byte* address, Access access) {
  const std::vector<Offer> offers = node.gather(own);
  std::vector<std::byte*> addresses(offers.size());
  addresses[node.own()] = address;
  bool complete = own.bytes == 0 || address != nullptr;
  // Unless all have made their segments, there is nothing to open.
  complete = node.everywhere(complete);
  for (std::size_t other = 0; complete && other < offers.size(); ++other) {
    if (other == node.own() || offers[other].bytes == 0) continue;
    addresses[other] = open_offered(offers[other], kind, access);
    complete = addresses[other] != nullptr;
  }
  if (node.everywhere(complete)) return addresses; // it also synchronises: all have mapped
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (addresses[i] != nullptr) munmap(addresses[i], offers[i].bytes);
  }
  return {};
}

} // namespace

std::size_t room(SegmentKind kind) {
  if (kind == SegmentKind::unnamed) return free_memory();
  struct statvfs state; // the file system in which shm_open makes files
  const bool known = statvfs("/dev/shm", &state) == 0 && state.f_blocks != 0; // otherwise there is no limit
  return known ? state.f_bavail * state.f_frsize : std::numeric_limits<std::size_t>::max();
}

bool may_make_file(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur; // RLIM_INFINITY is the greatest
}

std::vector<std::byte*> share(const ranks::NodeRanks& node, SegmentKind kind, std::size_t bytes,
                              Access access, std::size_t at_once) {
  Offer own{.bytes = bytes, .owner = getpid(), .name = ranks::unused_shm_name()};
  const lifetime::AtEnd closed([&] {
    if (own.descriptor < 0) return;
    close(own.descriptor);
    if (kind == SegmentKind::named) shm_unlink(own.name.data());
  });
  std::byte* const address = make(kind, at_once, own);
  return map_all(node, kind, own, address, access);
}

bool can_provide() noexcept {
  constexpr std::size_t page = 4096; // all page sizes are multiples of it
  void* const tried = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tried == MAP_FAILED) return false;
  const bool can = provide(static_cast<std::byte*>(tried), page);
  munmap(tried, page);
  return can;
}

bool provide(std::byte* address, std::size_t bytes) noexcept {
  long result = 0;
  do {
    result = syscall(SYS_madvise, address, bytes, populate_write); // not madvise(), which UCX intercepts
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result == 0;
}

int open_of(pid_t process, int descriptor, int flags) noexcept {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/%ld/fd/%d", static_cast<long>(process), descriptor);
  return open(name, flags | O_NONBLOCK);
}

} // namespace helper::shm::segment
