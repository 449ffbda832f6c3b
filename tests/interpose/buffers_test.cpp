// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "shm/traffic.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// Flushes the buffers of MPI 4.1, which belong to a communicator, a session or the process, with and without
// a request.

namespace {

using helper::shm::traffic::under_way;

/// The functions that attach, flush and detach one kind of buffer for sends on `comm`.
struct Buffered {
  const char* name;
  MPI_Comm comm;
  std::function<int(void* buffer, int bytes)> attach;
  std::function<int()> flush;
  std::function<int(MPI_Request*)> iflush;
  std::function<int(void* address, int* bytes)> detach;
};

/// A session, and a communicator of all processes made from it.
class Session {
public:
  Session() {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_);
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "buffers", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm_);
    MPI_Group_free(&all);
  }
  ~Session() {
    MPI_Comm_free(&comm_);
    MPI_Session_finalize(&session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  MPI_Session handle() const { return session_; }
  MPI_Comm comm() const { return comm_; }

private:
  MPI_Session session_ = MPI_SESSION_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

Buffered of_process() {
  return {"the process",    MPI_COMM_WORLD,    MPI_Buffer_attach,
          MPI_Buffer_flush, MPI_Buffer_iflush, MPI_Buffer_detach};
}

Buffered of_communicator(MPI_Comm comm) {
  return {"a communicator",
          comm,
          [comm](void* buffer, int bytes) { return MPI_Comm_attach_buffer(comm, buffer, bytes); },
          [comm] { return MPI_Comm_flush_buffer(comm); },
          [comm](MPI_Request* request) { return MPI_Comm_iflush_buffer(comm, request); },
          [comm](void* address, int* bytes) { return MPI_Comm_detach_buffer(comm, address, bytes); }};
}

Buffered of_session(const Session& of) {
  const MPI_Session session = of.handle();
  return {
      "a session",
      of.comm(),
      [session](void* buffer, int bytes) { return MPI_Session_attach_buffer(session, buffer, bytes); },
      [session] { return MPI_Session_flush_buffer(session); },
      [session](MPI_Request* request) { return MPI_Session_iflush_buffer(session, request); },
      [session](void* address, int* bytes) { return MPI_Session_detach_buffer(session, address, bytes); }};
}

/// Two ranks send each other a message with MPI_Bsend.
void exchange(MPI_Comm comm, int ints) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto data_of = [&](int sender) {
    std::vector<int> data(static_cast<std::size_t>(ints));
    std::iota(data.begin(), data.end(), 1000 * sender);
    return data;
  };
  std::vector<int> sent = data_of(rank);
  std::vector<int> received(sent.size());
  CHECK(MPI_Bsend(sent.data(), ints, MPI_INT, 1 - rank, 0, comm) == MPI_SUCCESS);
  std::ranges::fill(sent, -1); // the message is in the attached buffer
  CHECK(MPI_Recv(received.data(), ints, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(received == data_of(1 - rank));
}

void use(const Buffered& buffered) {
  constexpr int ints = 100'000;
  std::vector<char> memory(ints * sizeof(int) + MPI_BSEND_OVERHEAD);
  const int bytes = static_cast<int>(memory.size());
  INFO("buffer of " << buffered.name);
  REQUIRE_FALSE(under_way());
  CHECK(buffered.attach(memory.data(), bytes) == MPI_SUCCESS);
  CHECK(under_way());
  exchange(buffered.comm, ints);
  CHECK(buffered.flush() == MPI_SUCCESS); // without this the next message has no room in the buffer
  exchange(buffered.comm, ints);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(buffered.iflush(&request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(under_way());
  void* detached = nullptr;
  int detached_bytes = 0;
  CHECK(buffered.detach(static_cast<void*>(&detached), &detached_bytes) == MPI_SUCCESS);
  CHECK(detached == memory.data());
  CHECK(detached_bytes == bytes);
  CHECK_FALSE(under_way());
}

} // namespace

TEST_CASE("Buffers of communicators and sessions are flushed, and count until they are detached") {
  test_support::Helpers helpers;
  const Session session;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (const Buffered& buffered : {of_process(), of_communicator(comm), of_session(session)}) {
    use(buffered);
    helpers.phase([&] { use(buffered); });
  }
  MPI_Comm_free(&comm);
}
