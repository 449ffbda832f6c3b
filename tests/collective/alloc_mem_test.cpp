// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collective/cases.hpp"
#include "collective/memory.hpp"
#include "shm/region.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

enum class Function { allreduce, reduce, reduce_scatter };

/// A call that all ranks make alike.
struct Case {
  Function function;
  std::size_t ints;
  bool in_place;
  MPI_Op op;
  int root;
};

Comm world() {
  return Comm(MPI_COMM_WORLD);
}

/// Returns the elements of each rank's share in an MPI_Reduce_scatter. The last rank has none, unless it is
/// the only one.
std::vector<int> shares(std::size_t ints) {
  const auto owners = static_cast<std::size_t>(std::max(world().size() - 1, 1));
  std::vector<int> all(static_cast<std::size_t>(world().size()));
  std::fill_n(all.begin(), owners, static_cast<int>(ints / owners));
  all.front() += static_cast<int>(ints % owners);
  return all;
}

/// Makes the call, in a phase or with native MPI.
int call(const Case& now, bool carried, const void* send, std::int32_t* receive) {
  const int count = static_cast<int>(now.ints);
  switch (now.function) {
  case Function::allreduce:
    return (carried ? MPI_Allreduce : PMPI_Allreduce)(send, receive, count, MPI_INT32_T, now.op, world());
  case Function::reduce:
    return (carried ? MPI_Reduce : PMPI_Reduce)(send, receive, count, MPI_INT32_T, now.op, now.root, world());
  default:
    return (carried ? MPI_Reduce_scatter : PMPI_Reduce_scatter)(send, receive, shares(now.ints).data(),
                                                                MPI_INT32_T, now.op, world());
  }
}

/// Returns how many ints the rank gets.
std::size_t results(const Case& now) {
  const auto rank = static_cast<std::size_t>(world().rank());
  if (now.function == Function::reduce_scatter) return static_cast<std::size_t>(shares(now.ints)[rank]);
  return now.function == Function::allreduce || world().rank() == now.root ? now.ints : 0;
}

/// Fills `send` with new random data. Returns whether its reduction into `receive` equals native MPI's.
bool is_right(Helpers& helpers, const Case& now, Draw& draw, std::int32_t* send, std::int32_t* receive) {
  std::vector<std::int32_t> numbers(now.ints);
  for (std::int32_t& number : numbers) number = draw.upto(1 << 20);
  std::vector<std::int32_t> expected(now.ints);
  call(now, false, numbers.data(), expected.data());
  const bool in_place = now.in_place && (now.function != Function::reduce || world().rank() == now.root);
  std::int32_t* const source = in_place ? receive : send;
  std::fill_n(receive, now.ints, -1);
  std::copy(numbers.begin(), numbers.end(), source);
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = call(now, true, in_place ? MPI_IN_PLACE : send, receive); });
  const auto end = expected.begin() + static_cast<std::ptrdiff_t>(results(now));
  return code == MPI_SUCCESS && std::equal(expected.begin(), end, receive) &&
         (in_place || std::equal(numbers.begin(), numbers.end(), send));
}

} // namespace

TEST_CASE("Data in memory of MPI_Alloc_mem, or in other memory at some ranks, are reduced right") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Draw shared(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank));
  for (int round = 0; round < 40; ++round) {
    constexpr std::size_t room = 40000;
    // Allocated again in every round: mappings of the freed memory at other ranks must not be used for the
    // new memory.
    const Memory send(room, own.of({By::mpi, By::helper}));
    const Memory receive(room, own.of({By::mpi, By::helper}));
    std::vector<std::int32_t> elsewhere(room);
    const bool large = round % 10 == 0;
    const Case now{shared.of({Function::allreduce, Function::reduce, Function::reduce_scatter}),
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
      const Case now{function, ints, in_place, MPI_SUM, 0};
      REQUIRE(is_right(helpers, now, own, send.get() + 1, receive.get() + 1));
      REQUIRE(is_right(helpers, now, own, send.get() + 1, elsewhere.data() + 1));
    }
  }
}
