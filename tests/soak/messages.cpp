// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>

#include "message/exchanges.hpp"
#include "soak/plan.hpp"

// Messages. Each rank alone decides whether it is in a phase.

namespace soak {
namespace {

using namespace test_support;
using report::require;
using report::require_nothing;

/// The tag of messages on the lane's communicator. Two ranks have at most one of them in flight.
constexpr int tag = 3;
constexpr int unused_tag = 4;

/// Starts transfers. Some are still in progress when later steps run.
void transfers(Lane& lane, Draw& shared, Draw& own) {
  if (lane.ranks == 1) return;
  const std::vector<Transfer> all = draw_transfers(shared, lane.ranks, 1 + shared.upto(8));
  for (std::size_t next = 0; next < all.size();) {
    const std::size_t end = std::min(all.size(), next + 1 + static_cast<std::size_t>(own.upto(7)));
    const bool in_phase = own.coin();
    lane.call(in_phase, [&] {
      for (; next < end; ++next) {
        require_nothing(lane.transfers.start(all[next], lane.next_key++, own));
        if (own.upto(5) == 0) require_nothing(lane.transfers.complete_some(false, own));
        if (in_phase && own.upto(7) == 0) lane.team().fence();
      }
    });
  }
}

/// A ready send. The receiver tells the sender that it has posted its receive.
void ready(Lane& lane, Draw& shared, Draw& own) {
  if (lane.ranks == 1) return;
  std::vector<Sending> ways = sendings();
  std::erase_if(ways, [](const Sending& way) { return !way.needs_receive; });
  std::vector<Receiving> posts = receivings();
  std::erase_if(posts, [](const Receiving& way) { return !way.posts; });
  const int sender = shared.upto(lane.ranks - 1);
  const int receiver = (sender + 1 + shared.upto(lane.ranks - 2)) % lane.ranks;
  const int key = lane.next_key++;
  if (lane.rank != sender && lane.rank != receiver) return;
  Data data(own, draw_ints(shared, 40'000));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  lane.call(own.coin(), [&] {
    if (lane.rank == sender) {
      data.put(key);
      PMPI_Recv(nullptr, 0, MPI_INT, receiver, tag, lane.world, MPI_STATUS_IGNORE);
      require(own.of(ways).start(data, {lane.world, receiver, tag}, &request) == MPI_SUCCESS, "ready send");
    } else {
      require(own.of(posts).start(data, {lane.world, sender, tag}, &status, &request) == MPI_SUCCESS,
              "receive");
      PMPI_Send(nullptr, 0, MPI_INT, sender, tag, lane.world);
    }
    require(complete(own.of(completings()), request, &status) == MPI_SUCCESS, "completion");
  });
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request); // it is persistent
  require(data.holds(key, data.ints()), "data of a ready send");
  if (lane.rank == receiver) require_nothing(wrong_in(status, sender, tag, data, data.ints()));
}

/// Each rank sends to the next rank and receives from the previous one. A single rank sends to itself.
void exchange(Lane& lane, Draw& shared, Draw& own) {
  const int ints = draw_ints(shared, 40'000);
  const int key = lane.next_key++;
  const int previous = (lane.rank + lane.ranks - 1) % lane.ranks;
  const auto of_rank = [&](int rank) { return 100 * key + rank; };
  const Exchange& way = own.of(exchanges());
  Data out(own, ints);
  Data in(own, ints);
  (way.in_place ? in : out).put(of_rank(lane.rank));
  MPI_Status status{};
  lane.call(own.coin(), [&] {
    const int code = way.run(out, {lane.world, (lane.rank + 1) % lane.ranks, tag}, in,
                             {lane.world, previous, tag}, &status);
    require(code == MPI_SUCCESS, std::string("an error of ") + way.name);
  });
  require(out.unchanged(), std::string("what was sent has changed: ") + way.name);
  require(in.holds(of_rank(previous), ints), std::string("data of ") + way.name);
  require_nothing(wrong_in(status, previous, tag, in, ints));
}

/// Starts persistent requests several times.
void persistent(Lane& lane, Draw& shared, Draw& own) {
  const int ints = draw_ints(shared, 20'000);
  const int previous = (lane.rank + lane.ranks - 1) % lane.ranks;
  const int rounds = 1 + shared.upto(3);
  Data out(own, ints);
  Data in(own, ints);
  std::array<MPI_Request, 2> requests{};
  lane.call(own.coin(), [&] {
    MPI_Send_init(out.address(), out.count(), out.type(), (lane.rank + 1) % lane.ranks, tag, lane.world,
                  requests.data());
    MPI_Recv_init(in.address(), in.count(), in.type(), previous, tag, lane.world, &requests[1]);
  });
  for (int round = 0; round < rounds; ++round) {
    const int key = lane.next_key++;
    const auto of_rank = [&](int rank) { return 100 * key + rank; };
    out.put(of_rank(lane.rank));
    in.clear();
    lane.call(own.coin(), [&] {
      std::array<MPI_Status, 2> statuses{};
      require(MPI_Startall(2, requests.data()) == MPI_SUCCESS, "MPI_Startall");
      require(own.of(completings()).complete(requests, statuses.data()) == MPI_SUCCESS,
              "completion of persistent requests");
      require_nothing(wrong_in(statuses[1], previous, tag, in, ints));
    });
    require(in.holds(of_rank(previous), ints), "data of a persistent receive");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

/// Cancels a receive that gets no message, and probes for a message that nobody sends.
void cancelled(Lane& lane, Draw&, Draw& own) {
  Data data(own, draw_ints(own, 40'000));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  int flag = 1;
  lane.call(own.coin(), [&] {
    MPI_Irecv(data.address(), data.count(), data.type(), MPI_ANY_SOURCE, unused_tag, lane.world, &request);
    MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, lane.world, &flag, MPI_STATUS_IGNORE);
  });
  require(flag == 0, "a probe finds what nobody has sent");
  lane.call(own.coin(), [&] {
    require(MPI_Cancel(&request) == MPI_SUCCESS, "MPI_Cancel");
    require(complete(own.of(completings()), request, &status) == MPI_SUCCESS,
            "completion of a cancelled receive");
  });
  PMPI_Test_cancelled(&status, &flag);
  require(flag != 0, "a receive that nobody sends to is not cancelled");
  require(data.unchanged(), "a cancelled receive has brought something");
}

} // namespace

std::vector<Kind> messages() {
  return {{"transfers", 8, transfers},
          {"ready send", 2, ready, true},
          {"exchange", 4, exchange},
          {"persistent messages", 2, persistent},
          {"cancelled receive", 1, cancelled}};
}

} // namespace soak
