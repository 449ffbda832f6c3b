// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests messages between members of a group.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "message/data.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

/// A message, as both its sender and its receiver know it.
struct Message {
  int source, destination, tag;
  int count; // in ints; even, because MPICH fails to receive a part of a pair
  int key;   // of the contents
  bool any_source, any_tag;
};

Message draw_message(Draw& within, int size) {
  const int source = within.upto(size - 1);
  const int distance = 1 + within.upto(size - 2);
  return {source,
          (source + distance) % size,
          within.upto(3),
          draw_bytes(within) / 8 * 2,
          within.upto(1 << 30),
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

void send(MPIX_Sysgroup group, const Message& message, Draw& own) {
  Data data(own, message.count);
  data.put(message.key);
  CHECK(MPIX_Sysgroup_send(data.address(), data.count(), data.type(), message.destination, message.tag,
                           group) == MPI_SUCCESS);
  CHECK(data.unchanged());
}

void receive(MPIX_Sysgroup group, const Message& message, Draw& own, int room) {
  Data data(own, message.count + room);
  MPI_Status status;
  CHECK(MPIX_Sysgroup_recv(data.address(), data.count(), data.type(),
                           message.any_source ? MPI_ANY_SOURCE : message.source,
                           message.any_tag ? MPI_ANY_TAG : message.tag, group, &status) == MPI_SUCCESS);
  check_status(status, message);
  CHECK(data.holds(message.key, message.count));
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
      const int room = 2 * own.upto(5);
      const auto act = [&] {
        if (rank == message.source) send(group, message, own);
        if (rank == message.destination) receive(group, message, own, room);
      };
      phase_or_not(own, helpers, act);
      // A wildcard would match the next message as well. So that must not arrive before this one is received.
      if (message.any_source || message.any_tag) MPIX_Sysgroup_barrier(group);
    }
    MPIX_Sysgroup_barrier(group); // members between sender and receiver relay messages while they wait
  });
}

TEST_CASE("messages of all wait until they are wanted, in whatever order") {
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& within) {
    int rank = -1;
    int size = 0;
    MPIX_Sysgroup_rank(group, &rank);
    MPIX_Sysgroup_size(group, &size);
    const int root = within.upto(size - 1);
    std::vector<Message> messages;
    for (int source = 0; source < size; ++source)
      if (source != root)
        messages.push_back(
            {source, root, source, 1000 * (source + 1), within.upto(99), false, within.coin()});
    within.shuffle(messages);
    if (rank == root)
      for (const Message& message : messages) receive(group, message, own, 0);
    else
      send(group, *std::ranges::find(messages, rank, &Message::source), own);
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
