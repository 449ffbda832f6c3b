// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// If MPI does not tell whether it accepts GPU buffers, the library asks runtimes as they are loaded.

#include "device/device.hpp"

#include <vector>

#include "device/loaded.hpp"
#include "support/catch.hpp"

using helper::device::holds;
using test_support::Loaded;

TEST_CASE("a runtime is found when it has been loaded, and asked then") {
  const int on_stack = 0;
  const std::vector<int> on_heap(1000);
  CHECK_FALSE(holds(&on_stack));
  CHECK_FALSE(helper::device::has_runtime());
  for (const char* const path : {STAND_IN_HIP, STAND_IN_CUDA}) {
    const Loaded runtime(path);
    test_support::pass_a_tick();
    CHECK(holds(runtime.on_gpu()));
    CHECK(holds(runtime.on_gpu() + 4095));
    CHECK_FALSE(holds(runtime.on_host()));
    CHECK_FALSE(holds(&on_stack));
    CHECK_FALSE(holds(on_heap.data()));
    CHECK_FALSE(holds(nullptr));
    CHECK(helper::device::has_runtime());
  }
}
