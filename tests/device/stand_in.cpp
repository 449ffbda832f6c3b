// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compiled once for each GPU runtime that it imitates.

#include "device/stand_in.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace stand_in {

namespace {

struct Allocation {
  explicit Allocation(std::size_t size) : bytes(size) {
    const int file = memfd_create("gpu", 0);
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      device = map(file, PROT_NONE);
      host = map(file, PROT_READ | PROT_WRITE);
    }
    close(file);
  }

  std::byte* map(int file, int protection) const {
    return static_cast<std::byte*>(mmap(nullptr, bytes, protection, MAP_SHARED, file, 0));
  }

  bool has(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto begin = reinterpret_cast<std::uintptr_t>(device);
    return at >= begin && at - begin < bytes;
  }

  std::size_t bytes;
  std::byte* device = nullptr;
  std::byte* host = nullptr;
};

std::vector<Allocation> allocations;

auto find(const void* address) {
  return std::ranges::find_if(allocations, [address](const Allocation& each) { return each.has(address); });
}

bool is_on_gpu(const void* address) {
  return find(address) != allocations.end();
}

} // namespace

extern "C" {

void* stand_in_allocate(std::size_t bytes) {
  return allocations.emplace_back(bytes).device;
}

void stand_in_free(void* address) {
  const auto freed = find(address);
  munmap(freed->device, freed->bytes);
  munmap(freed->host, freed->bytes);
  allocations.erase(freed);
}

void stand_in_open(bool open) {
  for (const Allocation& each : allocations)
    mprotect(each.device, each.bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

std::ptrdiff_t stand_in_distance(const void* address) {
  const auto found = find(address);
  return found == allocations.end() ? 0 : found->host - found->device;
}

#ifdef STAND_IN_FOR_CUDA

int cuPointerGetAttribute(void* value, int attribute, std::uintptr_t address) {
  constexpr int invalid_value = 1;
  if (!is_on_gpu(reinterpret_cast<const void*>(address))) return invalid_value;
  constexpr int memory_type = 2;
  constexpr unsigned device = 2;
  *static_cast<unsigned*>(value) = attribute == memory_type ? device : 0;
  return 0;
}

#else

struct HipAttributes {
  int type;
  int device;
  const void* on_device;
  const void* on_host;
  int is_managed;
  unsigned flags;
};

// Returns "unregistered" for unknown memory, as version 6 does. Version 5 returns an error.
int hipPointerGetAttributes(HipAttributes* attributes, const void* address) {
  constexpr int of_device = 2;
  *attributes = is_on_gpu(address) ? HipAttributes{of_device, 0, address, nullptr, 0, 0} : HipAttributes{};
  return 0;
}

#endif
}

} // namespace stand_in
