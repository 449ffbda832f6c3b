// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <random>

namespace helper::transport::segment {

namespace {

std::byte* map(int segment, std::size_t bytes, int protection) {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, segment, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

/// Has every page there: a file system that is full later would answer a write with SIGBUS.
bool reserve(int segment, std::size_t bytes) {
  // A signal, which a timer may send again and again, undoes the step that it interrupts: so steps are short.
  constexpr std::size_t most = std::size_t{1} << 20;
  for (std::size_t begin = 0; begin < bytes; begin += most) {
    int error = EINTR;
    while (error == EINTR)
      error = posix_fallocate(segment, static_cast<off_t>(begin),
                              static_cast<off_t>(std::min(most, bytes - begin)));
    if (error != 0) return false;
  }
  return true;
}

} // namespace

std::size_t room() noexcept {
  struct statvfs state; // of where shm_open makes its files
  const bool known = statvfs("/dev/shm", &state) == 0 && state.f_blocks != 0; // else without limit
  return known ? state.f_bavail * state.f_frsize : std::numeric_limits<std::size_t>::max();
}

bool may_make_file(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur; // RLIM_INFINITY is the greatest
}

Name new_name() {
  Name name{};
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/mpi_helper.%ld.%08x%08x", static_cast<long>(getpid()), random(),
                random());
  return name;
}

std::byte* create(const Name& name, std::size_t bytes) {
  if (!may_make_file(bytes)) return nullptr;
  const int segment = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (segment < 0) return nullptr;
  std::byte* const address = reserve(segment, bytes) ? map(segment, bytes, PROT_READ | PROT_WRITE) : nullptr;
  close(segment);
  if (address == nullptr) unlink(name);
  return address;
}

std::byte* open(const Name& name, std::size_t bytes, Access access) {
  const bool writes = access == Access::write;
  const int segment = shm_open(name.data(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0);
  if (segment < 0) return nullptr;
  std::byte* const address = map(segment, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
  close(segment);
  return address;
}

void unlink(const Name& name) {
  shm_unlink(name.data());
}

} // namespace helper::transport::segment
