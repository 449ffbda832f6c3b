// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// If MPI accepts no buffers on a GPU, the library asks no GPU runtime, even if the program loads one later.

#include "device/device.hpp"

#include "device/loaded.hpp"
#include "support/catch.hpp"

extern "C" int MPIX_Query_cuda_support() {
  return 0;
}

TEST_CASE("what MPI does not take is not looked for") {
  const int on_stack = 0;
  CHECK(helper::device::is_possible()); // true until the library asks MPI
  CHECK_FALSE(helper::device::holds(&on_stack));
  CHECK_FALSE(helper::device::is_possible());
  const test_support::Loaded runtime(STAND_IN_CUDA);
  test_support::pass_a_tick();
  CHECK_FALSE(helper::device::holds(runtime.on_gpu()));
}
