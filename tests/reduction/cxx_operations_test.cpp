// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations of the C++ bindings, which MPI 3 has removed. Their functions take C++ arguments.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"

TEST_CASE("An operation of the C++ bindings is run as by native MPI") {
  test_support::Helpers helpers;
  MPI::Op sum;
  sum.Init(
      [](const void* in, void* inout, int count, const MPI::Datatype&) {
        for (int i = 0; i < count; ++i)
          static_cast<std::uint32_t*>(inout)[i] += static_cast<const std::uint32_t*>(in)[i];
      },
      true);
  constexpr int count = 1 << 20;
  const std::vector<std::uint32_t> in(count, 2);
  std::vector<std::uint32_t> inout(count, 3);
  helpers.phase([&] { MPI_Reduce_local(in.data(), inout.data(), count, MPI_UINT32_T, sum); });
  CHECK(inout == std::vector<std::uint32_t>(count, 5));
  sum.Free();
}
