// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/numbering.hpp"
#include "support/catch.hpp"

#include <mpi.h>

using helper::observe::Numbering;

namespace {

int of_native = 0;
bool is_ready = true;

int count_native(int* number) {
  if (!is_ready) return MPI_T_ERR_NOT_INITIALIZED;
  *number = of_native;
  return MPI_SUCCESS;
}

int count(Numbering& numbering) {
  int number = -1;
  REQUIRE(numbering.count(&number) == MPI_SUCCESS);
  return number;
}

void check_own(Numbering& numbering, int index, int own) {
  CHECK(numbering.find(index).first);
  CHECK(numbering.find(index).second == own);
  CHECK(numbering.index_of_own(own) == index);
}

void check_native(Numbering& numbering, int index, int native) {
  CHECK_FALSE(numbering.find(index).first);
  CHECK(numbering.find(index).second == native);
  CHECK(numbering.index_of_native(native) == index);
}

} // namespace

TEST_CASE("The library's stand behind MPI's, and what MPI adds stands behind them") {
  of_native = 3;
  Numbering numbering(count_native, 2);
  CHECK(count(numbering) == 5);
  of_native = 5;
  CHECK(count(numbering) == 7);
  for (const int native : {0, 1, 2}) check_native(numbering, native, native);
  check_own(numbering, 3, 0);
  check_own(numbering, 4, 1);
  for (const int native : {3, 4}) check_native(numbering, native + 2, native);
}

TEST_CASE("Indices that MPI rejects are given to it, so that it says so") {
  of_native = 3;
  Numbering numbering(count_native, 2);
  check_native(numbering, -1, -1);
  CHECK_FALSE(numbering.find(5).first);
  CHECK(numbering.find(5).second == 3);
}

TEST_CASE("The library's keep their place when MPI is initialised anew, with less") {
  of_native = 3;
  Numbering numbering(count_native, 2);
  check_own(numbering, 3, 0);
  of_native = 1;
  CHECK(count(numbering) == 5);
  check_own(numbering, 3, 0);
}

TEST_CASE("Without MPI's tool interface all are MPI's") {
  of_native = 3;
  Numbering numbering(count_native, 2);
  is_ready = false;
  int number = -1;
  CHECK(numbering.count(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(number == -1);
  CHECK_FALSE(numbering.find(3).first);
  is_ready = true;
  check_own(numbering, 3, 0);
}
