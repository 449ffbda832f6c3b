// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Messages by rank.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/helpers.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

namespace {

/// A message that its sender and its receiver know of.
struct Message {
  int source, destination, tag, count;
  std::uint64_t contents;
  bool any_source, any_tag;

  std::vector<int> numbers() const {
    Draw draw(contents);
    std::vector<int> numbers(static_cast<std::size_t>(count));
    for (int& number : numbers) number = draw.upto(1 << 30);
    return numbers;
  }
};

Message draw_message(Draw& within, int size) {
  const int source = within.upto(size - 1);
  const int distance = 1 + within.upto(size - 2);
  return {source,
          (source + distance) % size,
          within.upto(3),
          within.bytes(1 << 19) / 4,
          static_cast<std::uint64_t>(within.upto(1 << 30)),
          within.coin(),
          within.coin()};
}

void check_status(MPI_Status& status, const Message& message) {
  int count = -1;
  int cancelled = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(status.MPI_SOURCE == message.source);
  CHECK(status.MPI_TAG == message.tag);
  CHECK(count == message.count);
  CHECK(cancelled == 0);
}

void send(MPIX_Sysgroup group, const Message& message, int stride) {
  MPI_Datatype type = strided(stride);
  std::vector<int> data(static_cast<std::size_t>(message.count * stride + 1));
  const std::vector<int> numbers = message.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) data[i * static_cast<std::size_t>(stride)] = numbers[i];
  CHECK(MPIX_Sysgroup_send(data.data(), message.count, type, message.destination, message.tag, group) ==
        MPI_SUCCESS);
  MPI_Type_free(&type);
}

void receive(MPIX_Sysgroup group, const Message& message, int stride, int room) {
  MPI_Datatype type = strided(stride);
  std::vector<int> data(static_cast<std::size_t>((message.count + room) * stride + 1), -1);
  std::vector<int> expected = data;
  MPI_Status status;
  CHECK(MPIX_Sysgroup_recv(data.data(), message.count + room, type,
                           message.any_source ? MPI_ANY_SOURCE : message.source,
                           message.any_tag ? MPI_ANY_TAG : message.tag, group, &status) == MPI_SUCCESS);
  check_status(status, message);
  const std::vector<int> numbers = message.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    expected[i * static_cast<std::size_t>(stride)] = numbers[i];
  CHECK((data == expected));
  MPI_Type_free(&type);
}

} // namespace

TEST_CASE("messages reach the member of that rank, by way of others") {
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& within) {
    int rank = -1;
    int size = 0;
    MPIX_Sysgroup_rank(group, &rank);
    MPIX_Sysgroup_size(group, &size);
    if (size < 2) return;
    for (int i = 0; i < 6; ++i) {
      const Message message = draw_message(within, size);
      const int stride = 1 + own.upto(2);
      const int room = own.upto(10);
      const auto act = [&] {
        if (rank == message.source) send(group, message, stride);
        if (rank == message.destination) receive(group, message, stride, room);
      };
      if (own.coin())
        helpers.phase(act);
      else
        act();
      // Where any message would do, the next one must not come before this one is received.
      if (message.any_source || message.any_tag) MPIX_Sysgroup_barrier(group);
    }
    MPIX_Sysgroup_barrier(group); // in which those on the way pass them on
  });
}

TEST_CASE("messages of all wait until they are wanted, in whatever order") {
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& within) {
    int rank = -1;
    int size = 0;
    MPIX_Sysgroup_rank(group, &rank);
    MPIX_Sysgroup_size(group, &size);
    const int root = within.upto(size - 1);
    std::vector<Message> messages;
    for (int source = 0; source < size; ++source)
      if (source != root)
        messages.push_back({source, root, source, 1000 * (source + 1),
                            static_cast<unsigned>(within.bytes(99)) + 1, false, within.coin()});
    within.shuffle(messages);
    if (rank == root)
      for (const Message& message : messages) receive(group, message, 1, 0);
    else
      send(group, *std::ranges::find(messages, rank, &Message::source), 1);
    MPIX_Sysgroup_barrier(group);
  });
}

TEST_CASE("a message that is too large ends the calls of both") {
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw&) {
    int rank = -1;
    int size = 0;
    MPIX_Sysgroup_rank(group, &rank);
    MPIX_Sysgroup_size(group, &size);
    std::vector<int> data(10, -1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (size > 1 && rank == 0)
      CHECK(class_of(MPIX_Sysgroup_recv(data.data(), 9, MPI_INT, size - 1, 0, group, MPI_STATUS_IGNORE)) ==
            MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (size > 1 && rank == size - 1)
      CHECK(MPIX_Sysgroup_send(data.data(), 10, MPI_INT, 0, 0, group) == MPI_SUCCESS);
    CHECK(data == std::vector<int>(10, -1));
    CHECK(MPIX_Sysgroup_barrier(group) == MPI_SUCCESS);
  });
}

TEST_CASE("no message goes to MPI_PROC_NULL") {
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
  int number = 3;
  MPI_Status status;
  CHECK(MPIX_Sysgroup_send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, all) == MPI_SUCCESS);
  CHECK(MPIX_Sysgroup_recv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, all, &status) == MPI_SUCCESS);
  CHECK(number == 3);
  check_status(status, {MPI_PROC_NULL, 0, MPI_ANY_TAG, 0, 0, false, false});
  MPIX_Sysgroup_free(&all);
}
