// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <vector>

#include "message/requests.hpp"
#include "ranks/world.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// Announced messages meet buffers that are too small for the announcement, which is an error of the receiver.
// Afterwards the sender must be able to announce messages, and late receivers get their messages.

using namespace test_support;

namespace {

constexpr int lost = 40;   // messages; more than a rank has streams
constexpr int later = 200; // messages; some must be announced

/// Doubles with gaps. Messages of them are announced.
class Scattered {
public:
  explicit Scattered(int count) : data(static_cast<std::size_t>(2 * count)) {
    MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  ~Scattered() { MPI_Type_free(&type); }
  Scattered(const Scattered&) = delete;
  Scattered& operator=(const Scattered&) = delete;

  std::vector<double> data;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Sends to rank 1. Returns whether the message was announced.
bool send(const Scattered& message, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(message.data.data(), 1, message.type, 1, tag, MPI_COMM_WORLD, &request);
  const bool is_announced = helper::message::requests::find(&request) != nullptr;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return is_announced;
}

void receive(Scattered& message, int tag) {
  std::ranges::fill(message.data, 0.0);
  MPI_Recv(message.data.data(), 1, message.type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Rank 0 sends `lost` messages, and rank 1 receives each into one double. Checks that all receives fail.
void lose(const Scattered& message, int rank) {
  if (rank == 0) {
    for (int i = 0; i < lost; ++i) send(message, 1);
  } else if (rank == 1) {
    double room = 0;
    for (int i = 0; i < lost; ++i)
      CHECK(class_of(MPI_Recv(&room, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
            MPI_ERR_TRUNCATE);
  }
}

/// Receives what MPI still has of lost messages, which must not remain when MPI ends.
void drop_lost() {
  const MPI_Comm comm = helper::ranks::world::comm();
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  for (int found = 1; found != 0;) {
    PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &matched, &status);
    if (found == 0) break;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<char> memory(static_cast<std::size_t>(bytes));
    PMPI_Mrecv(memory.data(), bytes, MPI_BYTE, &matched, MPI_STATUS_IGNORE);
  }
}

} // namespace

TEST_CASE("Messages are announced again after the streams of others have been lost") {
  const int count = GENERATE(2000, 100000); // the first fits into blocks, the second must be rescued
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  int rank = 0;
  int word = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Scattered message(count);
  Helpers helpers;
  helpers.phase([&] {
    std::ranges::fill(message.data, 1.0);
    if (rank == 0)
      MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);     // now rank 0 knows that rank 1 receives through the library
    if (rank == 0) send(message, 2); // received last
    lose(message, rank);
    int announced = 0;
    for (int i = 0; i < later; ++i) {
      if (rank == 0) {
        announced += send(message, 3) ? 1 : 0;
      } else {
        receive(message, 3);
        CHECK(message.data[static_cast<std::size_t>(2 * count - 2)] == 1.0);
      }
    }
    if (rank == 0) CHECK(announced > 0);
    if (rank == 1) {
      receive(message, 2);
      CHECK(message.data[0] == 1.0);
      CHECK(message.data[static_cast<std::size_t>(2 * count - 2)] == 1.0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) drop_lost();
  });
  set_unnamed_errhandler(before);
  MPI_Errhandler_free(&before);
}
