// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/roles.hpp"
#include "support/as_shared_library.hpp"

// Each kind of send in flavours.hpp meets each kind of receive, with random datatypes, sizes and completion
// functions. Ready sends meet only receives that are posted before.

using namespace test_support;

namespace {

constexpr int rounds = 2; // more than one, to start persistent requests again
constexpr int go_tag = 9999;

int key_of(int sender, int round) {
  return rounds * sender + round;
}

void send(const Sending& way, const Envelope& to, int sender, int ints, Draw& own) {
  const Completing& completing = own.of(completings());
  INFO("completed by " << completing.name);
  Data data(own, ints);
  MPI_Request request = MPI_REQUEST_NULL;
  for (int round = 0; round < rounds; ++round) {
    data.put(key_of(sender, round));
    if (way.needs_receive) MPI_Recv(nullptr, 0, MPI_INT, to.peer, go_tag, to.comm, MPI_STATUS_IGNORE);
    CHECK(way.start(data, to, &request) == MPI_SUCCESS);
    CHECK(complete(completing, request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(data.unchanged());
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

/// Returns `from`, perhaps with wildcards. Wildcards must match no later message: other ranks than
/// `from.peer` may have sent messages with other tags already.
Envelope perhaps_any(const Envelope& from, bool two_ranks, Draw& own) {
  Envelope wildcard = from;
  if (own.coin()) wildcard.peer = MPI_ANY_SOURCE;
  if (own.coin() && (two_ranks || wildcard.peer == from.peer)) wildcard.tag = MPI_ANY_TAG;
  return wildcard;
}

void receive(const Receiving& way, const Envelope& from, bool two_ranks, bool wanted, int ints, Draw& own) {
  const Completing& completing = own.of(completings());
  INFO("completed by " << completing.name);
  const Envelope wildcard = perhaps_any(from, two_ranks, own);
  Data data(own, ints + (own.coin() ? 2 * own.upto(50) : 0)); // an odd number would cut a pair
  MPI_Request request = MPI_REQUEST_NULL;
  for (int round = 0; round < rounds; ++round) {
    MPI_Status status{};
    MPI_Status* const asked = own.upto(3) == 0 ? MPI_STATUS_IGNORE : &status;
    data.clear();
    CHECK(way.start(data, wildcard, asked, &request) == MPI_SUCCESS);
    if (wanted) MPI_Send(nullptr, 0, MPI_INT, from.peer, go_tag, from.comm);
    CHECK(complete(completing, request, asked) == MPI_SUCCESS);
    CHECK(data.holds(key_of(from.peer, round), ints));
    if (asked != MPI_STATUS_IGNORE) check_status(status, from.peer, from.tag, data, ints);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

} // namespace

TEST_CASE("Each kind of send meets each kind of receive, completed by a function drawn at random") {
  Helpers helpers;
  const AttachedBuffer buffer;
  const std::vector<Comm> comms = all_communicators();
  const auto world_rank = static_cast<std::uint64_t>(comms.front().rank());
  int transfer = 0;
  for (const Sending& sending : sendings()) {
    for (const Receiving& receiving : receivings()) {
      if (sending.needs_receive && !receiving.posts) continue;
      const auto number = static_cast<std::uint64_t>(++transfer);
      Draw shared(seed() + number);
      Draw own(seed() + 1000 * (world_rank + 1) + number);
      const Comm& comm = shared.of(comms);
      const int ints = draw_ints(shared);
      const Role role = draw_role(shared, comm);
      const Envelope envelope{comm, role.peer, transfer};
      INFO(sending.name << " to " << receiving.name << ", ints " << ints << ", transfer " << transfer);
      helpers.phase([&] {
        if (role.kind == Role::sender) send(sending, envelope, comm.rank(), ints, own);
        if (role.kind == Role::receiver)
          receive(receiving, envelope, comm.size() == 2, sending.needs_receive, ints, own);
      });
    }
  }
}
