// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <vector>

#include "message/message.hpp"
#include "message/requests.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// This program contains the objects of the library, like a program linked to the static library.

#ifdef MPI_HELPER_PARTITIONED

using namespace test_support;

TEST_CASE("Partitioned requests are MPI's with the static library, which does not see all calls") {
  constexpr int partitions = 4;
  constexpr int each = 64 * 1024; // of ints
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool sends = rank == 0;
  std::vector<int> numbers(std::size_t{partitions} * each);
  MPI_Request request = MPI_REQUEST_NULL;
  helpers.phase([&] {
    if (sends)
      MPI_Psend_init(numbers.data(), partitions, each, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
    else
      MPI_Precv_init(numbers.data(), partitions, each, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
    for (int key = 1; key < 4; ++key) {
      numbers.assign(numbers.size(), sends ? key : 0);
      MPI_Start(&request);
      CHECK(helper::message::requests::find(&request) == nullptr);
      if (sends) MPI_Pready_range(0, partitions - 1, request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(numbers == std::vector<int>(numbers.size(), key));
    }
    MPI_Request_free(&request);
  });
}

#endif
