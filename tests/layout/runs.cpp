// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests the kernels for runs of different lengths, for every instruction set of this processor.

#include "layout/copy.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <numeric>
#include <vector>

TEST_CASE("Runs of all lengths are copied, and nothing beside them") {
  std::vector<std::size_t> begins{0};
  std::vector<std::ptrdiff_t> offsets;
  std::ptrdiff_t next = 3;
  for (std::size_t length = 1; length < 300; ++length) {
    begins.push_back(begins.back() + length);
    offsets.push_back(next);
    next += static_cast<std::ptrdiff_t>(length + length % 5);
  }
  std::vector<unsigned char> user(static_cast<std::size_t>(next)), packed(begins.back());
  std::iota(user.begin(), user.end(), static_cast<unsigned char>(1));
  auto* const bytes = reinterpret_cast<std::byte*>(packed.data());
  for (const helper::layout::RunKernels& kernels : helper::layout::run_kernels()) {
    INFO(kernels.name);
    std::vector<unsigned char> expected(packed.size()), filled(user.size()), expected_filled(user.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::size_t length = begins[i + 1] - begins[i];
      std::memcpy(expected.data() + begins[i], user.data() + offsets[i], length);
      std::memcpy(expected_filled.data() + offsets[i], user.data() + offsets[i], length);
    }
    kernels.pack(offsets, begins.data(), reinterpret_cast<helper::layout::Address>(user.data()), bytes);
    CHECK((packed == expected));
    kernels.unpack(offsets, begins.data(), reinterpret_cast<helper::layout::Address>(filled.data()), bytes);
    CHECK((filled == expected_filled));
    packed.assign(packed.size(), 0);
  }
}
