// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <fstream>

#include <unistd.h>

#include "shm/region.hpp"
#include "support/catch.hpp"

using helper::shm::Mapping;
using helper::shm::Region;

namespace {

/// Returns how many bytes of address space the process uses.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

TEST_CASE("What a process has mapped of regions that were given back does not grow without bound") {
  constexpr std::size_t bytes = std::size_t{128} << 20; // too large to be kept for reuse
  const std::size_t before = address_space();
  std::byte* const kept = Region::allocate(bytes);
  REQUIRE(kept != nullptr);
  *kept = std::byte{1};
  const Region region = Region::find(kept, bytes)->region;
  const auto mapping = Mapping::of(region);
  REQUIRE(mapping != nullptr);
  for (int round = 0; round < 64; ++round) {
    std::byte* const memory = Region::allocate(bytes);
    REQUIRE(memory != nullptr);
    *memory = std::byte{2};
    const auto of_other = Mapping::of(Region::find(memory, bytes)->region);
    REQUIRE(of_other != nullptr);
    CHECK(*of_other->address() == std::byte{2});
    CHECK(Region::release(memory));
  }
  CHECK(address_space() - before < 16 * bytes);
  CHECK(Mapping::of(region) == mapping); // kept, because the region has not been freed
  Region::release(kept);
}
