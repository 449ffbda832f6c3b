// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <thread>

#include "advice/recorder.hpp"
#include "shm/traffic.hpp"
#include "support/catch.hpp"

// The program runs with MPI_HELPER_ADVICE=1.

namespace {

using helper::advice::Recorder;

int expect_nothing_under_way(MPI_Comm, int, void*, void*) {
  if (helper::shm::traffic::under_way()) std::_Exit(EXIT_FAILURE);
  return MPI_SUCCESS;
}

} // namespace

TEST_CASE("A communicator that another thread has freed is looked up again") {
  Recorder& own = Recorder::own();
  own.find(MPI_COMM_WORLD);
  CHECK_FALSE(own.find(MPI_COMM_WORLD));
  std::thread([] { Recorder::forget_communicators(); }).join();
  CHECK_FALSE(Recorder::skips_next(MPI_COMM_WORLD));
  CHECK(own.find(MPI_COMM_WORLD));
  CHECK(own.enter(true).ranks == 2);
}

TEST_CASE("An operation counts once if another thread frees a communicator between two looks") {
  Recorder& own = Recorder::own();
  own.find(MPI_COMM_WORLD);
  const std::uint64_t before = own.enter(true).number;
  CHECK_FALSE(Recorder::skips_next(MPI_COMM_WORLD)); // counts the operation; the next call is timed
  std::thread([] { Recorder::forget_communicators(); }).join();
  CHECK_FALSE(own.find(MPI_COMM_WORLD));
  CHECK(own.enter(true).number == before + 1);
  CHECK_FALSE(Recorder::skips_next(MPI_COMM_WORLD)); // counts nothing: the communicator must be looked up
  CHECK(own.find(MPI_COMM_WORLD));
}

TEST_CASE("A call in another call, by an error handler, does not change what is recorded of that") {
  Recorder& own = Recorder::own();
  own.find(MPI_COMM_WORLD);
  helper::advice::Stay stay = own.enter(true);
  Recorder::forget_communicators();
  own.find(MPI_COMM_SELF);
  stay.exit = Recorder::now();
  own.add("MPI_Bcast", helper::advice::Purpose::collective, helper::advice::Repetition::bcast, nullptr, {},
          stay);
  CHECK(own.visits().back().ranks == 2);
  CHECK(own.cells().back().ranks == 2);
}

TEST_CASE("Each call of a loop is timed as often as the others") {
  constexpr int calls = 4, turns = 100'000;
  constexpr const char* names[calls] = {"MPI_A", "MPI_B", "MPI_C", "MPI_D"};
  Recorder& own = Recorder::own();
  for (int i = 0; i < calls * turns; ++i) {
    if (Recorder::skips_next()) continue;
    helper::advice::Stay stay = own.enter(false);
    stay.exit = Recorder::now();
    own.add(names[i % calls], helper::advice::Purpose::message, helper::advice::Repetition::none, nullptr, {},
            stay);
  }
  int found = 0;
  for (const helper::advice::Cell& cell : own.cells()) {
    if (std::ranges::find(names, std::string_view(cell.function.data())) == std::end(names)) continue;
    ++found;
    CHECK(cell.calls > turns / 2);
    CHECK(cell.calls < turns * 3 / 2);
  }
  CHECK(found == calls);
}

TEST_CASE("When the program ends, none of its requests counts as under way") {
  helper::shm::traffic::begin();
  helper::shm::traffic::begin_lasting();
  int key = MPI_KEYVAL_INVALID; // MPI_Finalize deletes the attributes of MPI_COMM_SELF last
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, expect_nothing_under_way, &key, nullptr);
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) == MPI_SUCCESS);
}
