// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <random>

namespace helper::transport::segment {

namespace {

std::byte* map(int segment, std::size_t bytes, int protection) {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, segment, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

} // namespace

Name new_name() {
  Name name{};
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/mpi_helper.%ld.%08x%08x", static_cast<long>(getpid()), random(),
                random());
  return name;
}

std::byte* create(const Name& name, std::size_t bytes) {
  const int segment = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (segment < 0) return nullptr;
  // Reserved now: a file system that is full later would answer a write with SIGBUS.
  const bool reserved = posix_fallocate(segment, 0, static_cast<off_t>(bytes)) == 0;
  std::byte* const address = reserved ? map(segment, bytes, PROT_READ | PROT_WRITE) : nullptr;
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
