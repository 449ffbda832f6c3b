// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests that misuse of functions on groups returns the right error classes, and that nothing hangs.

#include <vector>

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
    CHECK(enrol("mpi_helper_fillers", "-1") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_scheme", "best") == MPI_ERR_INFO_VALUE);
    CHECK(enrol("mpi_helper_filler", "none") == MPI_ERR_INFO_VALUE); // the default scheme needs one
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
  SECTION("arguments of gathers and scans") {
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<int> room(static_cast<std::size_t>(2 * size));
    const auto gather = [&](const void* from, int sent, void* to, int received, MPI_Datatype type) {
      return class_of(MPIX_Sysgroup_allgather(from, sent, MPI_INT, to, received, type, all));
    };
    CHECK(gather(&value, 1, room.data(), 2, MPI_INT) == MPI_ERR_COUNT);
    CHECK(gather(&value, -1, room.data(), 1, MPI_INT) == MPI_ERR_COUNT);
    CHECK(gather(&value, 1, room.data(), 1, MPI_DATATYPE_NULL) == MPI_ERR_TYPE);
    CHECK(gather(&value, 1, nullptr, 1, MPI_INT) == MPI_ERR_ARG);
    CHECK(gather(room.data(), 1, room.data(), 1, MPI_INT) == MPI_ERR_BUFFER);
    CHECK(class_of(MPIX_Sysgroup_gather(&value, 1, MPI_INT, room.data(), 1, MPI_INT, size, all)) ==
          MPI_ERR_ROOT);
    CHECK(class_of(MPIX_Sysgroup_scan(&value, &value, 1, MPI_INT, MPI_SUM, all)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPIX_Sysgroup_scan(&value, &other, 1, MPI_DOUBLE, MPI_BAND, all)) == MPI_ERR_OP);
    CHECK(class_of(MPIX_Sysgroup_scan(&value, nullptr, 1, MPI_INT, MPI_SUM, all)) == MPI_ERR_ARG);
  }
  SECTION("arguments of messages") {
    const int rank = rank_of(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    const auto send = [&](const void* data, int count, int dest, int tag) {
      return class_of(MPIX_Sysgroup_send(data, count, MPI_INT, dest, tag, all));
    };
    const auto receive = [&](void* data, int count, int source, int tag) {
      return class_of(MPIX_Sysgroup_recv(data, count, MPI_INT, source, tag, all, MPI_STATUS_IGNORE));
    };
    const int peer = size > 1 ? (rank + 1) % size : MPI_PROC_NULL;
    CHECK(send(&value, 1, size, 0) == MPI_ERR_RANK);
    CHECK(send(&value, 1, rank, 0) == MPI_ERR_RANK);
    CHECK(send(&value, 1, peer, -1) == MPI_ERR_TAG);
    CHECK(send(&value, -1, peer, 0) == MPI_ERR_COUNT);
    CHECK(send(nullptr, 1, peer, 0) == MPI_ERR_ARG);
    CHECK(receive(&value, 1, size, 0) == MPI_ERR_RANK);
    CHECK(receive(&value, 1, rank, 0) == MPI_ERR_RANK);
    CHECK(receive(&value, -1, peer, 0) == MPI_ERR_COUNT);
    CHECK(receive(nullptr, 1, peer, 0) == MPI_ERR_ARG);
  }
  if (all != MPIX_SYSGROUP_NULL) {
    CHECK(MPIX_Sysgroup_barrier(all) == MPI_SUCCESS); // the group still works
    MPIX_Sysgroup_free(&all);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
