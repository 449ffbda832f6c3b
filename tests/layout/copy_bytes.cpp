// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/copy_bytes.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <vector>

using namespace helper::layout;

TEST_CASE("Bytes are copied wherever source and target lie in their pages, and nothing beside them") {
  constexpr std::size_t page = 4096, largest = 3 * page;
  std::vector<std::byte> from(largest + 2 * page);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 40503 >> 8);
  const std::vector<std::byte> untouched(largest + 2 * page, std::byte{0xEE});
  const auto in_page = reinterpret_cast<std::uintptr_t>(from.data()) % page;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{63}, std::size_t{2048}, std::size_t{2049}, page + 64, largest}) {
    for (std::size_t behind = 0; behind < 40; ++behind) {
      std::vector<std::byte> to = untouched, expected = untouched;
      // The target is `behind` bytes further from the start of its page than the source.
      const std::size_t at =
          (page + in_page + behind - reinterpret_cast<std::uintptr_t>(to.data()) % page) % page;
      std::copy_n(from.begin(), bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
      copy_bytes(to.data() + at, from.data(), bytes);
      INFO(bytes << " bytes, " << behind << " further behind");
      CHECK((to == expected));
    }
  }
  copy_bytes(nullptr, nullptr, 0);
}
