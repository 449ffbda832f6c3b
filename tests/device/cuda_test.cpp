// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the real CUDA driver. Skipped on machines without a GPU.

#include "device/device.hpp"
#include "support/catch.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <vector>

using helper::device::holds;

namespace {

template <class... Arguments>
bool call(void* driver, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  return function != nullptr && function(arguments...) == 0;
}

} // namespace

TEST_CASE("CUDA's own memory is told from the host's") {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int device = 0;
  if (driver == nullptr || !call(driver, "cuInit", 0U) || !call(driver, "cuDeviceGet", &device, 0)) {
    WARN("There is no GPU with CUDA"); // CTest takes this text for a skipped test
    return;
  }
  void* context = nullptr;
  REQUIRE(call(driver, "cuDevicePrimaryCtxRetain", &context, device));
  REQUIRE(call(driver, "cuCtxSetCurrent", context));
  constexpr std::size_t bytes = 4096;
  constexpr unsigned attach_global = 1;
  std::uintptr_t on_device = 0, managed = 0;
  void* pinned = nullptr;
  const std::vector<std::byte> plain(bytes);
  REQUIRE(call(driver, "cuMemAlloc_v2", &on_device, bytes));
  REQUIRE(call(driver, "cuMemAllocManaged", &managed, bytes, attach_global));
  REQUIRE(call(driver, "cuMemAllocHost_v2", &pinned, bytes));
  CHECK(holds(reinterpret_cast<const void*>(on_device)));
  CHECK(holds(reinterpret_cast<const void*>(on_device + bytes - 1)));
  CHECK_FALSE(holds(reinterpret_cast<const void*>(managed)));
  CHECK_FALSE(holds(pinned));
  CHECK_FALSE(holds(plain.data()));
  CHECK_FALSE(holds(nullptr));
  CHECK(call(driver, "cuMemFree_v2", on_device));
  CHECK(call(driver, "cuMemFree_v2", managed));
  CHECK(call(driver, "cuMemFreeHost", pinned));
  CHECK(call(driver, "cuDevicePrimaryCtxRelease_v2", device));
}
