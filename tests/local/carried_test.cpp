// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests local operations that the team carries, in cases that native MPI cannot handle.

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "layout/type.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"
#include "trace/track.hpp"

using namespace test_support;

namespace {

/// Returns how many calls of `function` teams carried in `body()`, which runs in a phase.
template <class Body>
std::uint64_t carried_calls(Helpers& helpers, std::string_view function, const Body& body) {
  std::uint64_t calls = 0;
  const auto add = [&](const helper::trace::Counters& counters) {
    if (counters.operation == function) calls += counters.calls[0].value();
  };
  helper::trace::visit_counters(add);
  const std::uint64_t before = std::exchange(calls, 0);
  helpers.phase(body);
  helper::trace::visit_counters(add);
  return calls - before;
}

} // namespace

// MPICH 4.0.2 takes MPI_BOTTOM in MPI_Pack and MPI_Unpack for a null pointer.
TEST_CASE("Elements at absolute addresses are packed and unpacked") {
  Helpers helpers;
  std::vector<int> values(30'000), copies(values.size(), -1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i);
  const auto every_third_at = [&](std::vector<int>& of) {
    MPI_Aint place = 0;
    PMPI_Get_address(of.data(), &place);
    const Type thirds(PMPI_Type_vector, static_cast<int>(of.size() / 3), 1, 3, MPI_INT);
    return Type(PMPI_Type_create_hindexed_block, 1, 1, &place, thirds);
  };
  const Type from = every_third_at(values), to = every_third_at(copies);
  std::vector<int> packed(values.size() / 3);
  const auto size = static_cast<int>(4 * packed.size());
  int packed_to = 0;
  int unpacked_to = 0;
  helpers.phase([&] {
    MPI_Pack(MPI_BOTTOM, 1, from, packed.data(), size, &packed_to, MPI_COMM_SELF);
    MPI_Unpack(packed.data(), size, &unpacked_to, MPI_BOTTOM, 1, to, MPI_COMM_SELF);
  });
  CHECK(packed_to == size);
  CHECK(unpacked_to == size);
  bool is_right = true;
  for (std::size_t i = 0; i < values.size(); ++i) is_right &= copies[i] == (i % 3 == 0 ? values[i] : -1);
  REQUIRE(is_right);
}

TEST_CASE("The team carries what is worth sharing, and says of the rest why not") {
  Helpers helpers;
  helper::trace::count();       // counts for members that join later
  if (team_size() == 0) return; // the primary of the transparent mode does not join
  const Type vector(PMPI_Type_vector, 1 << 15, 1, 2, MPI_INT);
  std::vector<int> user(1 << 16), packed(1 << 15);
  const auto pack = [&](MPI_Datatype type, int count) {
    return [&, type, count] {
      int position = 0;
      MPI_Pack(user.data(), count, type, packed.data(), 1 << 17, &position, MPI_COMM_SELF);
    };
  };
  CHECK(carried_calls(helpers, "MPI_Pack", pack(vector, 1)) == 1);
  CHECK(carried_calls(helpers, "MPI_Pack", pack(MPI_INT, 1 << 15)) == 1);
  CHECK(carried_calls(helpers, "MPI_Pack", pack(MPI_INT, 8)) == 0);
  CHECK(carried_calls(helpers, "MPI_Unpack", [&] {
          int position = 0;
          MPI_Unpack(packed.data(), 1 << 17, &position, user.data(), 1, vector, MPI_COMM_SELF);
        }) == 1);
  CHECK(carried_calls(helpers, "MPI_Reduce_local",
                      [&] { MPI_Reduce_local(packed.data(), user.data(), 1 << 15, MPI_INT, MPI_SUM); }) == 1);
}
