// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>

#include "message/roles.hpp"

// Messages that are larger than the buffers of their receives.

using namespace test_support;

namespace {

constexpr int tag = 1;

/// Sizes of messages, in ints. Open MPI sends more than 4 KiB by rendezvous, and then corrupts memory after a
/// buffer that is too small. The library announces 9 KiB or more. With MPICH after 4.0 an announced message
/// leaves messages in MPI that nobody receives (see Known gaps), and UCX 1.18 ends the program in
/// MPI_Finalize.
const std::vector<int>& sizes() {
  static const std::vector<int> all = is_open_mpi() ? std::vector{20, 1000}
                                      : MPI_VERSION == 4 && MPI_SUBVERSION == 0
                                          ? std::vector{20, 5000, 20'000, 200'000}
                                          : std::vector{20, 1000, 2000};
  return all;
}

/// A call of an error handler of this test: its communicator and class.
struct Reported {
  MPI_Comm comm;
  int error_class;
};
std::vector<Reported>& reported() {
  static std::vector<Reported> all;
  return all;
}
void report(MPI_Comm* comm, int* code, ...) {
  reported().push_back({*comm, class_of(*code)});
}

/// Returns whether error handlers were called `errors` times.
bool were_reported(std::size_t errors) {
  return reported().size() == errors;
}

/// Sets error handlers that record their calls: of MPI_COMM_WORLD, MPI_COMM_SELF and `other`.
class Handlers {
public:
  explicit Handlers(MPI_Comm other) {
    PMPI_Comm_create_errhandler(report, &handler_);
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, other})
      PMPI_Comm_set_errhandler(comm, handler_);
    reported().clear();
  }
  ~Handlers() {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
      PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PMPI_Errhandler_free(&handler_);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

private:
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// Returns the error class of the only request that a call has completed.
int class_of_completion(int code, const MPI_Status& status) {
  return class_of(class_of(code) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : code);
}

/// How native MPI reports the error of a request: to MPI_COMM_WORLD if `tells_world`, otherwise to the
/// communicator of the request or to MPI_COMM_SELF.
struct Natively {
  bool tells_world = false;
  bool returns_code = false; ///< false with MPICH 5.0.2 if the program has set the handler
};
Natively error_of_request(MPI_Comm comm, int peer) {
  const std::array<int, 2> large{};
  int little = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  reported().clear();
  PMPI_Irecv(&little, 1, MPI_INT, peer, tag, comm, &request);
  PMPI_Send(large.data(), 2, MPI_INT, peer, tag, comm);
  const int code = PMPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(were_reported(1));
  return {reported().front().comm == MPI_COMM_WORLD, code != MPI_SUCCESS};
}

/// Sends a message of `ints` ints, which is too large, and then another one, which fits.
void send_too_much(const Comm& comm, int peer, int ints, Draw& own) {
  static const std::vector<Sending> ways{
      {"Send", send_at_once<MPI_Send>}, {"Ssend", send_at_once<MPI_Ssend>}, {"Isend", send_later<MPI_Isend>}};
  Data large(own, ints);
  Data fitting(own, ints);
  large.put(1);
  fitting.put(2);
  for (const Data* data : {&large, &fitting}) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(own.of(ways).start(*data, {comm, peer, tag}, &request) == MPI_SUCCESS);
    CHECK(complete(own.of(completings()), request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
}

/// Returns whether an error is reported once. MPI_Request_get_status reports the error of a request that it
/// does not complete, and the completion reports the error again. After a probe only the receive fails.
bool reports_once(const Completing& completing) {
  return !std::string_view(completing.name).starts_with("Request_get_status");
}

/// Receives the first message with `way` into too small a buffer, and the second one correctly. Checks which
/// communicator hears of the error: the one of the call, or for completions the one that native MPI tells.
void receive_too_little(const Receiving& way, const Completing& completing, const Comm& comm, int peer,
                        int ints, const Natively& natively, Draw& own) {
  const int room = own.coin() ? ints / 2 : own.upto(std::min(ints - 1, own.coin() ? 20 : 2000));
  Data little = own.coin() ? Data(family::predefined(own, room), room) : Data(own, room);
  Data enough(own, ints);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  int code = way.start(little, {comm, peer, tag}, &status, &request);
  const bool names_comm =
      code != MPI_SUCCESS && std::string_view(way.name).find("Mrecv") == std::string_view::npos;
  if (code == MPI_SUCCESS) code = complete(completing, request, &status);
  if (natively.returns_code) CHECK(class_of_completion(code, status) == MPI_ERR_TRUNCATE);
  if (natively.returns_code && reports_once(completing) && reported().size() == 1) {
    const MPI_Comm told = reported().front().comm;
    const bool is_persistent = way.posts && request != MPI_REQUEST_NULL; // MPICH 4.0 knows its communicator
    if (names_comm)
      CHECK(told == comm);
    else if (natively.tells_world)
      CHECK((told == MPI_COMM_WORLD || (is_persistent && told == comm)));
    else // if a probe took the message out of MPI, perhaps MPI_COMM_WORLD
      CHECK((told == comm || told == MPI_COMM_SELF || (told == MPI_COMM_WORLD && !way.posts)));
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  CHECK(receive_at_once<MPI_Recv>(enough, {comm, peer, tag}, MPI_STATUS_IGNORE, nullptr) == MPI_SUCCESS);
  CHECK(enough.holds(2, ints));
}

} // namespace

TEST_CASE("A message too large for its buffer is an error of the receive, reported once") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Comm comm(copy);
  if (peer >= world.size()) return;
  const Handlers handlers(comm);
  const Natively natively = error_of_request(comm, peer);
  int turn = 0;
  for (const Receiving& way : receivings()) {
    for (const Completing& completing : completings()) {
      Draw shared(seed() + static_cast<std::uint64_t>(++turn));
      Draw own(seed() + static_cast<std::uint64_t>(1000 * (world.rank() + 1) + turn));
      const int ints = shared.of(sizes());
      INFO(way.name << ", " << completing.name << ", ints " << ints);
      reported().clear();
      helpers.phase([&] {
        if ((world.rank() + turn) % 2 == 0)
          send_too_much(comm, peer, ints, own);
        else
          receive_too_little(way, completing, comm, peer, ints, natively, own);
      });
      const bool received = (world.rank() + turn) % 2 != 0;
      if (reports_once(completing)) CHECK(were_reported(received ? 1 : 0));
    }
  }
}

namespace {

/// Returns whether `code` is the result of a call that has told an error handler of class `error_class`.
bool is_of(int error_class, int code) {
  return class_of(code) == error_class || (code == MPI_SUCCESS && is_mpich_5_0());
}

} // namespace

TEST_CASE("A persistent receive whose message was too large can be started again") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  if (peer >= world.size()) return;
  const Handlers handlers(world);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const int ints : sizes()) {
    INFO("ints " << ints);
    Data in(own, ints / 2);
    Data large(own, ints);
    Data fitting(own, ints / 2);
    large.put(1);
    fitting.put(2);
    helpers.phase([&] {
      if (world.rank() % 2 == 0) {
        for (const Data* data : {&large, &fitting})
          MPI_Send(data->address(), data->count(), data->type(), peer, tag, world);
        return;
      }
      MPI_Request request = MPI_REQUEST_NULL;
      for (const int expected : {MPI_ERR_TRUNCATE, MPI_SUCCESS}) {
        in.clear();
        receive_again<MPI_Recv_init>(in, {world, peer, tag}, nullptr, &request);
        CHECK(is_of(expected, MPI_Wait(&request, MPI_STATUS_IGNORE)));
      }
      MPI_Request_free(&request);
      CHECK(in.holds(2, ints / 2));
    });
  }
  CHECK(were_reported(world.rank() % 2 == 0 ? 0 : sizes().size()));
}

TEST_CASE("A receive that MPI refuses leaves the message, whatever a probe has done with it") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  if (peer >= world.size()) return;
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const int ints : sizes()) {
    INFO("ints " << ints);
    Data out(own, ints);
    Data in(own, ints);
    out.put(1);
    helpers.phase([&] {
      if (world.rank() % 2 == 0) {
        MPI_Send(out.address(), out.count(), out.type(), peer, tag, world);
        return;
      }
      const Handlers handlers(world);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Message message = MPI_MESSAGE_NULL;
      const auto refused = [](int code) { return is_of(MPI_ERR_COUNT, code); };
      MPI_Probe(peer, tag, world, MPI_STATUS_IGNORE);
      CHECK(refused(MPI_Recv(in.address(), -1, in.type(), peer, tag, world, MPI_STATUS_IGNORE)));
      CHECK(refused(MPI_Irecv(in.address(), -1, in.type(), peer, tag, world, &request)));
      MPI_Mprobe(peer, tag, world, &message, MPI_STATUS_IGNORE);
      CHECK(refused(MPI_Mrecv(in.address(), -1, in.type(), &message, MPI_STATUS_IGNORE)));
      CHECK(refused(MPI_Imrecv(in.address(), -1, in.type(), &message, &request)));
      CHECK(were_reported(4));
      CHECK(MPI_Mrecv(in.address(), in.count(), in.type(), &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(in.holds(1, ints));
    });
  }
}
