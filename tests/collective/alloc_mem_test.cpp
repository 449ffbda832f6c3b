// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collective/memory.hpp"
#include "collective/sums_of_ints.hpp"
#include "shm/region.hpp"
#include "support/catch.hpp"

using namespace test_support;

TEST_CASE("Data in memory of MPI_Alloc_mem, or in other memory at some ranks, are reduced right") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Draw shared(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank));
  for (int round = 0; round < 40; ++round) {
    constexpr std::size_t room = 40000;
    // Every round allocates memory again, often at an address that the previous round has freed. Other ranks
    // must not use their mappings of the freed memory for the new memory.
    const Memory send(room, own.of({By::mpi, By::helper}));
    const Memory receive(room, own.of({By::mpi, By::helper}));
    std::vector<std::int32_t> elsewhere(room);
    const bool large = round % 10 == 0;
    const SumOfInts now{shared.of({Function::allreduce, Function::reduce, Function::reduce_scatter}),
                        large ? room - 7 : 4000 + static_cast<std::size_t>(shared.upto(30000)), shared.coin(),
                        shared.of({MPI_SUM, MPI_MAX, MPI_BXOR}), shared.upto(world().size() - 1)};
    const bool all_shared = shared.upto(3) != 0;
    const bool mine_shared = all_shared || own.coin();
    std::int32_t* const to = mine_shared ? receive.get() : elsewhere.data();
    const auto at = static_cast<std::size_t>(own.upto(7));
    INFO("round " << round << ", function " << static_cast<int>(now.function) << ", " << now.ints << " ints"
                  << (now.in_place ? " in place" : ""));
    REQUIRE(is_right(helpers, now, own, send.get() + at, to + at));
    REQUIRE(is_right(helpers, now, own, send.get() + at, to + at));
  }
}

TEST_CASE("In place and through slots, both of which are tried, the sums are the same") {
  Helpers helpers;
  const int rank = world().rank();
  const int ranks = world().size();
  constexpr std::size_t ints = 9000;
  const Memory send(ints);
  const Memory receive(ints);
  for (int call = 0; call < 100; ++call) {
    CAPTURE(call);
    for (std::size_t i = 0; i < ints; ++i) send.get()[i] = static_cast<std::int32_t>(i) + rank * call;
    std::fill_n(receive.get(), ints, -1);
    helpers.phase([&] {
      MPI_Allreduce(send.get(), receive.get(), static_cast<int>(ints), MPI_INT32_T, MPI_SUM, world());
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < ints; ++i) {
      const int sum = ranks * static_cast<int>(i) + ranks * (ranks - 1) / 2 * call;
      if (receive.get()[i] != sum) ++wrong;
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("Memory that is to be aligned to more than a page is MPI's") {
  using helper::shm::Region;
  constexpr MPI_Aint bytes = 100'000;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const char* const alignment : {"64", "65536"}) {
    MPI_Info_set(info, "mpi_minimum_memory_alignment", alignment);
    void* memory = nullptr;
    MPI_Alloc_mem(bytes, info, static_cast<void*>(&memory));
    CHECK(Region::find(memory, bytes).has_value() ==
          (helper::shm::can_map() && std::string_view(alignment) == "64"));
    MPI_Free_mem(memory);
  }
  MPI_Info_free(&info);
}

TEST_CASE("Results too large for the caches are right") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank));
  constexpr std::size_t ints = (std::size_t{4} << 20) / sizeof(std::int32_t) + 12345;
  const Memory send(ints + 1);
  const Memory receive(ints + 1);
  std::vector<std::int32_t> elsewhere(ints + 1);
  for (const bool in_place : {false, true}) {
    for (const Function function : {Function::allreduce, Function::reduce, Function::reduce_scatter}) {
      const SumOfInts now{function, ints, in_place, MPI_SUM, 0};
      REQUIRE(is_right(helpers, now, own, send.get() + 1, receive.get() + 1));
      REQUIRE(is_right(helpers, now, own, send.get() + 1, elsewhere.data() + 1));
    }
  }
}
