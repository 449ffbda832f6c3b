// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Receives messages with types whose elements overlap. The standard forbids that, but MPIs accept it.
// Announced and other messages must leave the same bytes as native MPI.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "collective/cases.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

using namespace test_support;

namespace {

struct Overlapping {
  const char* name;
  int ints; // of one element
  std::function<MPI_Datatype()> make;
};

MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_create_resized(type, 0, extent, &made);
  PMPI_Type_free(&type);
  return made;
}

const std::vector<Overlapping>& types() {
  static const std::vector<Overlapping> all{
      {"a vector of blocks that overlap", 32,
       [] {
         MPI_Datatype made = MPI_DATATYPE_NULL;
         PMPI_Type_vector(8, 4, 2, MPI_INT, &made);
         return made;
       }},
      {"blocks at one place", 24,
       [] {
         const std::array<int, 6> lengths{4, 4, 4, 4, 4, 4};
         const std::array<int, 6> places{8, 0, 8, 8, 4, 0};
         MPI_Datatype made = MPI_DATATYPE_NULL;
         PMPI_Type_indexed(6, lengths.data(), places.data(), MPI_INT, &made);
         return made;
       }},
      {"elements that overlap", 4,
       [] {
         MPI_Datatype made = MPI_DATATYPE_NULL;
         PMPI_Type_contiguous(4, MPI_INT, &made);
         return resized(made, sizeof(int));
       }},
      {"elements at one place", 1,
       [] {
         MPI_Datatype made = MPI_DATATYPE_NULL;
         PMPI_Type_contiguous(1, MPI_INT, &made);
         return resized(made, 0);
       }},
      {"a struct of blocks that overlap", 40, [] {
         const std::array<int, 3> lengths{16, 16, 8};
         const std::array<MPI_Aint, 3> places{0, 60, 20};
         const std::array<MPI_Datatype, 3> parts{MPI_INT, MPI_INT, MPI_INT};
         MPI_Datatype made = MPI_DATATYPE_NULL;
         PMPI_Type_create_struct(3, lengths.data(), places.data(), parts.data(), &made);
         return resized(made, 160);
       }}};
  return all;
}

struct Receiving {
  const char* name;
  std::function<int(void* buffer, int count, MPI_Datatype type, MPI_Status* status)> receive;
};

constexpr int tag = 5;

const std::vector<Receiving>& receivings() {
  static const std::vector<Receiving> all{
      {"Recv",
       [](void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
         return MPI_Recv(buffer, count, type, 0, tag, MPI_COMM_WORLD, status);
       }},
      {"Irecv",
       [](void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Irecv(buffer, count, type, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
         return MPI_Wait(&request, status);
       }},
      {"Mrecv",
       [](void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
         MPI_Message message = MPI_MESSAGE_NULL;
         MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
         return MPI_Mrecv(buffer, count, type, &message, status);
       }},
      {"Recv_init",
       [](void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Recv_init(buffer, count, type, 0, tag, MPI_COMM_WORLD, &request);
         MPI_Start(&request);
         const int code = MPI_Wait(&request, status);
         MPI_Request_free(&request);
         return code;
       }},
      {"Probe and Recv", [](void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
         MPI_Probe(0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
         return MPI_Recv(buffer, count, type, 0, tag, MPI_COMM_WORLD, status);
       }}};
  return all;
}

/// Sends `count` ints twice, in a phase and natively. If `is_scattered`, only every second int is sent.
void send(Helpers& helpers, int count, bool is_scattered) {
  std::vector<int> from(2 * static_cast<std::size_t>(count));
  std::iota(from.begin(), from.end(), 1);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  PMPI_Type_vector(count, 1, is_scattered ? 2 : 1, MPI_INT, &column);
  PMPI_Type_commit(&column);
  helpers.phase([&] { MPI_Send(from.data(), 1, column, 1, tag, MPI_COMM_WORLD); });
  PMPI_Send(from.data(), 1, column, 1, tag, MPI_COMM_WORLD);
  PMPI_Type_free(&column);
}

/// Receives `sent` ints as at most `count` elements, twice: through the library and natively. Compares both.
void receive(Helpers& helpers, const Receiving& receiving, const Overlapping& of, int count, int sent) {
  MPI_Datatype type = of.make();
  PMPI_Type_commit(&type);
  const auto room = static_cast<std::size_t>(count) * static_cast<std::size_t>(of.ints) + 1024;
  std::vector<int> carried(room, -1), native(room, -1);
  MPI_Status status, expected;
  int code = MPI_SUCCESS;
  helpers.phase([&] { code = receiving.receive(carried.data(), count, type, &status); });
  PMPI_Recv(native.data(), count, type, 0, tag, MPI_COMM_WORLD, &expected);
  int ints = 0;
  PMPI_Get_elements(&status, MPI_INT, &ints);
  CAPTURE(receiving.name, of.name, count, sent);
  CHECK(code == MPI_SUCCESS);
  CHECK(ints == sent);
  CHECK(status.MPI_SOURCE == 0);
  CHECK(std::ranges::mismatch(carried, native).in1 - carried.begin() == std::ssize(carried));
  PMPI_Type_free(&type);
}

} // namespace

TEST_CASE("messages are received as types that overlap") {
  Helpers helpers;
  const Comm comm(MPI_COMM_WORLD);
  for (const Receiving& receiving : receivings()) {
    for (const Overlapping& type : types()) {
      for (const int least : {1, 16, 18, 23, 300, 30000, 200000}) {
        for (const bool is_scattered : {false, true}) {
          const int count = (least + type.ints - 1) / type.ints;
          const int sent = count * type.ints;
          if (comm.rank() == 0) send(helpers, sent, is_scattered);
          if (comm.rank() == 1) receive(helpers, receiving, type, count + (least % 2), sent);
        }
      }
    }
  }
}
