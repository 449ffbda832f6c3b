// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Errors of the functions on groups: their classes, and that nothing hangs.

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

void first(void*, void*, int*, MPI_Datatype*) {}

} // namespace

TEST_CASE("misuse is reported") {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all) == MPI_SUCCESS);
  int value = 1;
  int other = 0;
  MPI_Request request = MPI_REQUEST_NULL;

  SECTION("handles") {
    MPIX_Sysgroup none = MPIX_SYSGROUP_NULL;
    CHECK(class_of(MPIX_Sysgroup_free(&none)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_rank(none, &value)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_barrier(all + 1)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_enroll(none, 1, MPI_INFO_NULL, &none)) == MPI_ERR_ARG);
    MPIX_Sysgroup stale = all;
    MPIX_Sysgroup_free(&stale);
    CHECK(class_of(MPIX_Sysgroup_barrier(all)) == MPI_ERR_ARG);
    all = MPIX_SYSGROUP_NULL;
  }
  SECTION("communicators and pointers") {
    MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
    CHECK(class_of(MPIX_Sysgroup_from_comm(MPI_COMM_NULL, MPI_INFO_NULL, &group)) == MPI_ERR_COMM);
    CHECK(class_of(MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, nullptr)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_size(all, nullptr)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_children(all, -1, &value, &other)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_ibarrier(all, nullptr)) == MPI_ERR_ARG);
  }
  SECTION("hints") {
    const auto enrol = [&](const char* key, const char* text) {
      MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
      return class_of(MPIX_Sysgroup_enroll(all, 1, Info{{key, text}}, &group));
    };
    CHECK(enrol("mpi_helper_branching", "0") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_branching", "3x") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_hash", "-1") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_scheme", "best") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_filler", "none") == MPI_ERR_INFO_VALUE); // of balance
  }
  SECTION("arguments of operations") {
    CHECK(class_of(MPIX_Sysgroup_bcast(&value, 1, MPI_INT, -1, all)) == MPI_ERR_ROOT);
    CHECK(class_of(MPIX_Sysgroup_bcast(&value, -1, MPI_INT, 0, all)) == MPI_ERR_COUNT);
    CHECK(class_of(MPIX_Sysgroup_bcast(&value, 1, MPI_DATATYPE_NULL, 0, all)) == MPI_ERR_TYPE);
    CHECK(class_of(MPIX_Sysgroup_bcast(nullptr, 1, MPI_INT, 0, all)) == MPI_ERR_ARG);
    CHECK(class_of(MPIX_Sysgroup_reduce(&value, &other, 1, MPI_INT, MPI_SUM, 1000, all)) == MPI_ERR_ROOT);
    CHECK(class_of(MPIX_Sysgroup_allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, all)) == MPI_ERR_OP);
    CHECK(class_of(MPIX_Sysgroup_allreduce(&value, &other, 1, MPI_DOUBLE, MPI_BAND, all)) == MPI_ERR_OP);
    CHECK(class_of(MPIX_Sysgroup_allreduce(&value, &value, 1, MPI_INT, MPI_SUM, all)) == MPI_ERR_BUFFER);
    MPI_Op ordered = MPI_OP_NULL;
    MPI_Op_create(first, 0, &ordered);
    CHECK(class_of(MPIX_Sysgroup_allreduce(&value, &other, 1, MPI_INT, ordered, all)) == MPI_ERR_OP);
    CHECK(class_of(MPIX_Sysgroup_iallreduce(&value, &other, 1, MPI_INT, ordered, all, &request)) ==
          MPI_ERR_OP);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Op_free(&ordered);
  }
  if (all != MPIX_SYSGROUP_NULL) {
    CHECK(MPIX_Sysgroup_barrier(all) == MPI_SUCCESS); // it is as good as new
    MPIX_Sysgroup_free(&all);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
