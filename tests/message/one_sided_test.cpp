// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests one-sided operations with non-contiguous memory, of which MPI may get contiguous copies.

#include <malloc.h>

#include <string_view>

#include "message/roles.hpp"

using namespace test_support;

namespace {

/// A way to begin and end an access to the window of `target`.
struct Epoch {
  const char* name;
  void (*begin)(MPI_Win window, int target);
  void (*end)(MPI_Win window, int target);
};

MPI_Group group_of(MPI_Win window, int rank) {
  MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &all);
  PMPI_Group_incl(all, 1, &rank, &one);
  PMPI_Group_free(&all);
  return one;
}

void lock(MPI_Win window, int target) {
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
}

const std::vector<Epoch> epochs{
    {"MPI_Win_fence", [](MPI_Win window, int) { MPI_Win_fence(0, window); },
     [](MPI_Win window, int) { MPI_Win_fence(0, window); }},
    {"MPI_Win_unlock", lock, [](MPI_Win window, int target) { MPI_Win_unlock(target, window); }},
    {"MPI_Win_flush", [](MPI_Win window, int) { MPI_Win_lock_all(0, window); },
     [](MPI_Win window, int target) {
#ifndef OPEN_MPI                                          // crashes
       MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN); // not every MPI accepts MPI_PROC_NULL here
       MPI_Win_flush(MPI_PROC_NULL, window);              // completes nothing
       MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL);
#endif
       MPI_Win_flush(target, window);
       PMPI_Win_unlock_all(window);
     }},
    {"MPI_Win_flush_all", [](MPI_Win window, int) { MPI_Win_lock_all(0, window); },
     [](MPI_Win window, int) {
       MPI_Win_flush_all(window);
       PMPI_Win_unlock_all(window);
     }},
    {"MPI_Win_flush_local", lock,
     [](MPI_Win window, int target) {
       MPI_Win_flush_local(target, window);
       PMPI_Win_unlock(target, window);
     }},
    {"MPI_Win_flush_local_all", [](MPI_Win window, int) { MPI_Win_lock_all(0, window); },
     [](MPI_Win window, int) {
       MPI_Win_flush_local_all(window);
       MPI_Win_unlock_all(window);
     }},
    {"MPI_Win_complete",
     [](MPI_Win window, int target) {
       MPI_Group peer = group_of(window, target);
       MPI_Win_post(peer, 0, window);
       MPI_Win_start(peer, 0, window);
       PMPI_Group_free(&peer);
     },
     [](MPI_Win window, int) {
       MPI_Win_complete(window);
       MPI_Win_wait(window);
     }},
};

/// An operation between `data` and the ints in the window of `target`.
struct Operation {
  const char* name;
  bool is_read;
  bool needs_lock; ///< returns a request
  int (*call)(Data& data, int target, MPI_Win window, MPI_Request* request);
};

template <auto function, class... Rest>
int call(const Data& data, int target, Rest... rest) {
  return function(data.address(), data.count(), data.type(), target, 0, data.ints(), MPI_INT, rest...);
}

/// Calls a function without a request.
template <auto function>
int done(Data& data, int target, MPI_Win window, MPI_Request*) {
  return call<function>(data, target, window);
}
template <auto function>
int begun(Data& data, int target, MPI_Win window, MPI_Request* request) {
  return call<function>(data, target, window, request);
}

const std::vector<Operation> operations{
    {"MPI_Put", false, false, done<MPI_Put>},
    {"MPI_Rput", false, true, begun<MPI_Rput>},
    {"MPI_Get", true, false, done<MPI_Get>},
    {"MPI_Rget", true, true, begun<MPI_Rget>},
    {"MPI_Accumulate", false, false,
     [](Data& data, int target, MPI_Win window, MPI_Request*) {
       return call<MPI_Accumulate>(data, target, MPI_SUM, window);
     }},
    {"MPI_Raccumulate", false, true,
     [](Data& data, int target, MPI_Win window, MPI_Request* request) {
       return call<MPI_Raccumulate>(data, target, MPI_SUM, window, request);
     }},
};

/// Draws memory for `ints` ints. If `sums`, an operation adds them, so that all elements must be ints.
Data draw_data(Draw& draw, int ints, bool sums) {
  if (!sums) return {draw, ints};
  const Family* family = nullptr;
  do family = &draw.of(families());
  while (family->make == family::pairs);
  return {family->make(draw, ints), ints};
}

} // namespace

TEST_CASE("One-sided operations leave in windows and buffers what native MPI does") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw shared(seed());
  const int next = (world.rank() + 1) % world.size(), last = (world.rank() + world.size() - 1) % world.size();
  if (world.size() > 2) return; // only two ranks are each other's targets
  constexpr int most = 150'000;
  std::vector<int> memory(most);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), 4 * MPI_Aint{most}, 4, MPI_INFO_NULL, world, &window);
  for (const Operation& operation : operations) {
    for (const Epoch& epoch : epochs) {
      const bool is_passive = std::string_view(epoch.name).find("lock") != std::string_view::npos ||
                              std::string_view(epoch.name).find("flush") != std::string_view::npos;
      if (operation.needs_lock && !is_passive) continue;
      for (const bool completes_outside : {false, true}) {
        Draw one(static_cast<std::uint64_t>(shared.upto(1'000'000)) +
                 static_cast<std::uint64_t>(world.rank()));
        const int ints = shared.coin() ? shared.upto(2'000) : 70'000 + shared.upto(most - 70'000);
        Data data = draw_data(one, ints, std::string_view(operation.name).ends_with("ccumulate"));
        INFO(operation.name << ", " << epoch.name << ", " << ints << " ints, outside " << completes_outside);
        data.put(world.rank());
        if (operation.is_read) data.clear();
        std::ranges::fill(memory, 0);
        if (operation.is_read) std::ranges::copy(contents(world.rank(), ints), memory.begin());
        PMPI_Barrier(world);
        MPI_Request request = MPI_REQUEST_NULL;
        const auto complete = [&] {
          const bool waits_first = shared.coin();
          if (waits_first) CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          epoch.end(window, next);
          if (operation.is_read) CHECK(data.holds(next, ints)); // before MPI_Wait
          if (!waits_first) CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        };
        helpers.phase([&] {
          epoch.begin(window, next);
          CHECK(operation.call(data, next, window, &request) == MPI_SUCCESS);
          if (!completes_outside) complete();
        });
        if (completes_outside) complete();
        PMPI_Barrier(world);
        PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.rank(), 0, window);
        std::vector<int> expected(most);
        std::ranges::copy(contents(operation.is_read ? world.rank() : last, ints), expected.begin());
        CHECK((memory == expected));
        PMPI_Win_unlock(world.rank(), window);
        PMPI_Barrier(world);
      }
    }
  }
  MPI_Win_free(&window);
}

TEST_CASE("A get stores nothing behind the last element that the target has sent") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  constexpr int room = 10'000;
  std::vector<int> memory = contents(world.rank(), room);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), 4 * MPI_Aint{room}, 4, MPI_INFO_NULL, world, &window);
  const Type every_other(PMPI_Type_vector, room, 1, 2, MPI_INT);
  for (const int ints : {1, room / 2, room}) {
    std::vector<int> got(2 * room, -1);
    helpers.phase([&] {
      MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
      CHECK(MPI_Get(got.data(), 1, every_other, next, 0, ints, MPI_INT, window) == MPI_SUCCESS);
      MPI_Win_unlock(next, window);
    });
    std::vector<int> expected(2 * room, -1);
    for (int i = 0; i < ints; ++i)
      expected[static_cast<std::size_t>(2 * i)] = contents(next, room)[static_cast<std::size_t>(i)];
    CHECK((got == expected));
  }
  MPI_Win_free(&window);
}

TEST_CASE("An operation that has been waited for keeps no copy until its epoch ends") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  constexpr int ints = 256 * 1024, repetitions = 64;
  std::vector<int> memory(ints), data(2 * ints);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), 4 * MPI_Aint{ints}, 4, MPI_INFO_NULL, world, &window);
  const Type every_other(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  const auto allocated = [] {
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
  };
  MPI_Win_lock_all(0, window);
  helpers.phase([&] {
    const std::size_t before = allocated();
    for (int i = 0; i < repetitions; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK(MPI_Raccumulate(data.data(), 1, every_other, world.rank(), 0, ints, MPI_INT, MPI_SUM, window,
                            &request) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(allocated() < before + repetitions / 2 * 4 * std::size_t{ints});
  });
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}
