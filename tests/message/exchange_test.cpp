// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/roles.hpp"

// Everybody sends and receives at once: head to head, around rings, along chains that end at nobody, to
// oneself.

using namespace test_support;

namespace {

/// A way to send `out` and receive `in`.
struct Exchange {
  const char* name;
  int (*run)(const Data& out, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status);
  bool requests = false; // MPICH 4.0.2 leaves the status of a request to receive from nobody unset
  bool in_place = false; // takes one buffer for both
};

template <auto Sendrecv>
int together(const Data& out, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status) {
  return Sendrecv(out.address(), out.count(), out.type(), to.peer, to.tag, in.address(), in.count(),
                  in.type(), from.peer, from.tag, from.comm, status);
}

template <auto Replace>
int replaced(const Data&, const Envelope& to, const Data& in, const Envelope& from, MPI_Status* status) {
  return Replace(in.address(), in.count(), in.type(), to.peer, to.tag, from.peer, from.tag, from.comm,
                 status);
}

#if MPI_VERSION >= 4
/// Without blocking; `Complete` is one of completings().
template <auto Isendrecv, auto Complete>
int together_later(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                   MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = Isendrecv(out.address(), out.count(), out.type(), to.peer, to.tag, in.address(),
                             in.count(), in.type(), from.peer, from.tag, from.comm, &request);
  return code | Complete({&request, 1}, status);
}

template <auto Replace, auto Complete>
int replaced_later(const Data&, const Envelope& to, const Data& in, const Envelope& from,
                   MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      Replace(in.address(), in.count(), in.type(), to.peer, to.tag, from.peer, from.tag, from.comm, &request);
  return code | Complete({&request, 1}, status);
}
#endif

int receive_first(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                  MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  receive_later<MPI_Irecv>(in, from, nullptr, &requests[0]);
  send_later<MPI_Isend>(out, to, &requests[1]);
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[0];
  return code;
}

int send_first(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
               MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  send_later<MPI_Isend>(out, to, &requests[0]);
  receive_later<MPI_Irecv>(in, from, nullptr, &requests[1]);
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[1];
  return code;
}

int send_and_block(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                   MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  send_later<MPI_Isend>(out, to, &request);
  const int code = receive_at_once<MPI_Recv>(in, from, status, nullptr);
  return code | MPI_Wait(&request, MPI_STATUS_IGNORE);
}

template <auto Send>
int block_and_receive(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
                      MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  receive_later<MPI_Irecv>(in, from, nullptr, &request);
  const int code = send_at_once<Send>(out, to, nullptr);
  return code | MPI_Wait(&request, status);
}

int start_both(const Data& out, const Envelope& to, const Data& in, const Envelope& from,
               MPI_Status* status) {
  std::array<MPI_Request, 2> requests{};
  std::array<MPI_Status, 2> statuses{};
  MPI_Send_init(out.address(), out.count(), out.type(), to.peer, to.tag, to.comm, &requests[0]);
  MPI_Recv_init(in.address(), in.count(), in.type(), from.peer, from.tag, from.comm, &requests[1]);
  MPI_Startall(2, requests.data());
  const int code = MPI_Waitall(2, requests.data(), statuses.data());
  *status = statuses[1];
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  return code;
}

const std::vector<Exchange>& exchanges() {
  // clang-format off
  static const std::vector<Exchange> all{
      {"Sendrecv", together<MPI_Sendrecv>},
      {"Sendrecv_replace", replaced<MPI_Sendrecv_replace>, false, true},
      {"Irecv, Isend, Waitall", receive_first, true},
      {"Isend, Irecv, Waitall", send_first, true},
      {"Isend, Recv, Wait", send_and_block},
      {"Irecv, Send, Wait", block_and_receive<MPI_Send>, true},
      {"Irecv, Ssend, Wait", block_and_receive<MPI_Ssend>, true},
      {"Startall, Waitall", start_both, true},
#if MPI_VERSION >= 4
      {"Sendrecv_c", together<MPI_Sendrecv_c>},
      {"Sendrecv_replace_c", replaced<MPI_Sendrecv_replace_c>, false, true},
      {"Isendrecv, Wait", together_later<MPI_Isendrecv, completing::each<MPI_Wait>>},
      {"Isendrecv_c, Testany", together_later<MPI_Isendrecv_c, completing::any_tested>},
      {"Isendrecv_replace, Waitall", replaced_later<MPI_Isendrecv_replace, completing::all_waited>, false, true},
      {"Isendrecv_replace_c, Testsome",
       replaced_later<MPI_Isendrecv_replace_c, completing::some_by_some<MPI_Testsome>>, false, true},
#endif
  };
  // clang-format on
  return all;
}

void check_nobody(const MPI_Status& status) {
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(status.MPI_TAG == MPI_ANY_TAG);
  int count = -1;
  PMPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 0);
}

constexpr int tag = 3;

/// Sends to one and receives as much from another; the status of the receive.
MPI_Status run(Helpers& helpers, const Exchange& way, const Comm& comm, int destination, int source,
               Data& out, Data& in) {
  (way.in_place ? in : out).put(comm.rank());
  MPI_Status status{};
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = way.run(out, {comm, destination, tag}, in, {comm, source, tag}, &status); });
  CHECK(code == MPI_SUCCESS);
  CHECK(out.unchanged());
  CHECK((source == MPI_PROC_NULL ? in.unchanged() : in.holds(source, in.ints())));
  return status;
}

/// The same with ints of any types.
void exchange(Helpers& helpers, const Exchange& way, const Comm& comm, int destination, int source, int ints,
              Draw& own) {
  Data out(own, ints);
  Data in(own, ints);
  const MPI_Status status = run(helpers, way, comm, destination, source, out, in);
  if (source != MPI_PROC_NULL)
    check_status(status, source, tag, in, ints);
  else if (!way.requests)
    check_nobody(status);
}

} // namespace

TEST_CASE("Everybody exchanges with everybody at once") {
  Helpers helpers;
  Draw shared(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(Comm(MPI_COMM_WORLD).rank()));
  for (const Comm& comm : communicators()) {
    const int size = comm.size();
    for (const Exchange& way : exchanges()) {
      for (int shift = 0; shift < size; ++shift) {
        const int ints = draw_ints(shared);
        INFO(way.name << ", ranks " << size << ", shift " << shift << ", ints " << ints);
        exchange(helpers, way, comm, (comm.rank() + shift) % size, (comm.rank() - shift + size) % size, ints,
                 own);
      }
      const int ints = draw_ints(shared);
      INFO(way.name << ", a chain of " << size << ", ints " << ints);
      const int up = comm.rank() + 1 < size ? comm.rank() + 1 : MPI_PROC_NULL;
      const int down = comm.rank() > 0 ? comm.rank() - 1 : MPI_PROC_NULL;
      exchange(helpers, way, comm, up, down, ints, own);
    }
  }
}

TEST_CASE("Several megabytes of every family go both ways at once") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  const int rank = world.rank();
  Draw own(seed() + static_cast<std::uint64_t>(rank));
  int turn = 0;
  for (const Family& family : families()) {
    const Exchange& way = exchanges()[static_cast<std::size_t>(turn++) % exchanges().size()];
    constexpr int ints = 700'002;
    INFO(family.name << " by " << way.name);
    Data out(family.make(own, ints), ints);
    Data in(own, ints);
    run(helpers, way, world, (rank + 1) % size, (rank - 1 + size) % size, out, in);
  }
}

TEST_CASE("Pairs of a value and an index go both ways at once") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  const int rank = world.rank();
  for (const MPI_Datatype pair : pairs_with_gaps()) {
    int bytes = 0;
    PMPI_Type_size(pair, &bytes);
    for (const Exchange& way : exchanges()) {
      for (const int ints : {300, 60'000}) {
        INFO("pairs of " << bytes << " bytes by " << way.name << ", ints " << ints);
        Data out({Type(PMPI_Type_dup, pair), 4 * ints / bytes}, ints);
        Data in({Type(PMPI_Type_dup, pair), 4 * ints / bytes}, ints);
        run(helpers, way, world, (rank + 1) % size, (rank - 1 + size) % size, out, in);
      }
    }
  }
}
