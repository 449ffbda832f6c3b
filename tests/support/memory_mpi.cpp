// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/memory_mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/draw.hpp"

namespace {

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "memory_mpi: %s\n", what);
  std::abort();
}

/// What a message and its receive must have in common.
struct Envelope {
  MPI_Comm comm;
  int source;
  int tag;
  bool operator==(const Envelope&) const = default;
};

struct Message {
  Envelope envelope;
  const std::byte* data;
  std::size_t bytes;
  std::vector<std::byte> buffer{}; // a copy, if the send has completed before the receive
  bool is_received = false;
};

struct Receive {
  Envelope envelope;
  std::byte* data;
  std::size_t bytes;
  std::shared_ptr<Message> message{}; // null until matched
};

/// The messages and receives of a rank that are not matched. A new message or receive is matched with the
/// first one that fits.
struct Mailbox {
  std::mutex mutex; // guards both lists, and all messages and receives that are or were in them
  std::list<std::shared_ptr<Message>> unexpected{};
  std::list<std::shared_ptr<Receive>> posted{};
};

/// A request of a message or of a receive.
struct Request {
  Mailbox& mailbox; // of the receiver
  std::shared_ptr<Message> message;
  std::shared_ptr<Receive> receive;
  bool is_buffered;  // whether the send completes before the receive
  int tests_in_vain; // still to come
  bool is_over = false;
};

struct Rank {
  explicit Rank(std::uint64_t seed) : draw(seed) {}

  Mailbox mailbox{};
  // Only the rank's thread uses these.
  test_support::Draw draw;
  std::deque<Request> requests{}; // by handle
};

std::deque<Rank> ranks;
thread_local int own_rank = -1;

Rank& own() {
  if (own_rank < 0) refuse("a thread that is no rank has called MPI");
  return ranks[static_cast<std::size_t>(own_rank)];
}

Mailbox& mailbox_of(int rank) {
  if (rank < 0 || rank >= std::ssize(ranks)) refuse("there is no such rank");
  return ranks[static_cast<std::size_t>(rank)].mailbox;
}

/// Removes the first entry of the list that fits the envelope. Returns the entry, or null.
template <class Entry>
std::shared_ptr<Entry> take(std::list<std::shared_ptr<Entry>>& list, const Envelope& envelope) {
  const auto found =
      std::ranges::find_if(list, [&](const auto& entry) { return entry->envelope == envelope; });
  if (found == list.end()) return nullptr;
  std::shared_ptr<Entry> entry = std::move(*found);
  list.erase(found);
  return entry;
}

void match(Receive& receive, const std::shared_ptr<Message>& message) {
  if (message->bytes > receive.bytes) refuse("a message is longer than its receive");
  receive.message = message;
}

MPI_Request start(Mailbox& mailbox, std::shared_ptr<Message> message, std::shared_ptr<Receive> receive) {
  constexpr int most_tests = 20;
  Rank& rank = own();
  const bool is_buffered = rank.draw.coin();
  const int tests = rank.draw.coin() ? 0 : rank.draw.upto(most_tests);
  rank.requests.push_back({mailbox, std::move(message), std::move(receive), is_buffered, tests});
  return static_cast<MPI_Request>(rank.requests.size() - 1);
}

bool complete_send(Message& message, bool is_buffered) {
  if (!message.is_received && is_buffered && message.buffer.empty()) {
    message.buffer.assign(message.data, message.data + message.bytes);
    message.data = message.buffer.data();
  }
  return message.is_received || is_buffered;
}

bool complete_receive(const Receive& receive, MPI_Status* status) {
  if (receive.message == nullptr) return false;
  Message& message = *receive.message;
  std::copy_n(message.data, message.bytes, receive.data);
  message.is_received = true;
  if (status == MPI_STATUS_IGNORE) return true;
  status->MPI_SOURCE = message.envelope.source;
  status->MPI_TAG = message.envelope.tag;
  status->count_lo = static_cast<int>(message.bytes);
  return true;
}

bool is_complete(Request& request, MPI_Status* status) {
  if (request.is_over) refuse("a request is tested that has completed");
  if (request.tests_in_vain-- > 0) return false;
  const std::lock_guard lock(request.mailbox.mutex);
  return request.message != nullptr ? complete_send(*request.message, request.is_buffered)
                                    : complete_receive(*request.receive, status);
}

Request& request_of(MPI_Request request) {
  auto& requests = own().requests;
  if (request < 0 || request >= std::ssize(requests)) refuse("there is no such request");
  return requests[static_cast<std::size_t>(request)];
}

std::size_t bytes_of(MPI_Count count, MPI_Datatype type) {
  if (type != MPI_BYTE) refuse("a message is not of bytes");
  return static_cast<std::size_t>(count);
}

} // namespace

test_support::MemoryMpi::MemoryMpi(int size, std::uint64_t seed) {
  for (int rank = 0; rank < size; ++rank) ranks.emplace_back(seed + static_cast<std::uint64_t>(rank));
}

test_support::MemoryMpi::~MemoryMpi() {
  ranks.clear();
}

void test_support::MemoryMpi::run(const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < std::ssize(ranks); ++rank) {
    threads.emplace_back([&body, rank] {
      own_rank = rank;
      body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool test_support::MemoryMpi::is_quiet() const {
  return std::ranges::all_of(ranks, [](const Rank& rank) {
    return rank.mailbox.unexpected.empty() && rank.mailbox.posted.empty() &&
           std::ranges::all_of(rank.requests, &Request::is_over);
  });
}

std::size_t test_support::MemoryMpi::sent(int rank) const {
  const auto is_send = [](const Request& request) { return request.message != nullptr; };
  return static_cast<std::size_t>(
      std::ranges::count_if(ranks[static_cast<std::size_t>(rank)].requests, is_send));
}

int PMPI_Isend_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  Mailbox& mailbox = mailbox_of(to);
  const auto message = std::make_shared<Message>(
      Message{{comm, own_rank, tag}, static_cast<const std::byte*>(data), bytes_of(count, type)});
  *request = start(mailbox, message, nullptr);
  const std::lock_guard lock(mailbox.mutex);
  if (const auto receive = take(mailbox.posted, message->envelope)) {
    match(*receive, message);
  } else {
    mailbox.unexpected.push_back(message);
  }
  return MPI_SUCCESS;
}

int PMPI_Irecv_c(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  Mailbox& mailbox = own().mailbox;
  const auto receive = std::make_shared<Receive>(
      Receive{{comm, from, tag}, static_cast<std::byte*>(data), bytes_of(count, type)});
  *request = start(mailbox, nullptr, receive);
  const std::lock_guard lock(mailbox.mutex);
  if (const auto message = take(mailbox.unexpected, receive->envelope)) {
    match(*receive, message);
  } else {
    mailbox.posted.push_back(receive);
  }
  return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  Request& tested = request_of(*request);
  tested.is_over = is_complete(tested, status);
  *flag = tested.is_over ? 1 : 0;
  if (tested.is_over) *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  *flag = is_complete(request_of(request), status) ? 1 : 0;
  return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  int is_over = 0;
  PMPI_Test(request, &is_over, status);
  if (is_over == 0) refuse("a wait would block");
  return MPI_SUCCESS;
}

/// The library probes for the messages with which ranks tell that they have failed. No rank fails here.
int PMPI_Improbe(int, int tag, MPI_Comm comm, int* flag, MPI_Message*, MPI_Status*) {
  Mailbox& mailbox = own().mailbox;
  const std::lock_guard lock(mailbox.mutex);
  for (const auto& message : mailbox.unexpected) {
    if (message->envelope.comm == comm && message->envelope.tag == tag) refuse("a rank has given up");
  }
  *flag = 0;
  return MPI_SUCCESS;
}

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = static_cast<int>(bytes_of(status->count_lo, type));
  return MPI_SUCCESS;
}

/// Without MPI_TAG_UB the library uses only tags that every MPI has.
int PMPI_Comm_get_attr(MPI_Comm, int, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}
