// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests which user-defined functions are kept. It needs no MPI, so that ThreadSanitizer can check it.

#include <atomic>
#include <thread>
#include <vector>

#include "reduction/user_function.hpp"
#include "support/catch.hpp"

using helper::reduction::UserFunction;

namespace {

template <int value, class Count>
void set_to(void*, void* inout, Count* count, MPI_Datatype*) {
  for (Count i = 0; i < *count; ++i) static_cast<int*>(inout)[i] = value;
}

/// Returns what the function that is kept for `op` makes of a number, or 0 if none is kept.
int made_by(MPI_Op op) {
  int made = 0;
  if (const auto function = UserFunction::of(op)) (*function)(nullptr, &made, 1, MPI_INT);
  return made;
}

} // namespace

TEST_CASE("Functions are kept from the moment on at which they are wanted, until they are forgotten") {
  UserFunction::keep(MPI_SUM, set_to<1, int>);
  CHECK(made_by(MPI_SUM) == 0);
  UserFunction::keep_all();
  CHECK(made_by(MPI_SUM) == 0);
  UserFunction::keep(MPI_SUM, set_to<1, int>);
  UserFunction::keep(MPI_MAX, set_to<2, MPI_Count>);
  CHECK(made_by(MPI_SUM) == 1);
  CHECK(made_by(MPI_MAX) == 2);
  UserFunction::keep(MPI_SUM, set_to<3, int>); // belongs to a new operation
  CHECK(made_by(MPI_SUM) == 3);
  UserFunction::forget(MPI_SUM);
  CHECK(made_by(MPI_SUM) == 0);
  CHECK(made_by(MPI_MAX) == 2);
  UserFunction::forget_all();
  CHECK(made_by(MPI_MAX) == 0);
}

TEST_CASE("Threads make, use and free operations at once") {
  UserFunction::keep_all();
  std::atomic<bool> is_wrong{false};
  const auto act = [&](MPI_Op op, UserFunction::Function<int>* function, int value) {
    for (int repetition = 0; repetition < 1000; ++repetition) {
      UserFunction::keep(op, function);
      if (made_by(op) != value) is_wrong = true;
      UserFunction::forget(op);
      if (made_by(op) != 0) is_wrong = true;
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(act, MPI_SUM, set_to<1, int>, 1);
  threads.emplace_back(act, MPI_MAX, set_to<2, int>, 2);
  threads.emplace_back(act, MPI_MIN, set_to<3, int>, 3);
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(is_wrong);
}
