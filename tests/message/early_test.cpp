// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "message/peers.hpp"
#include "message/roles.hpp"
#include "shm/traffic.hpp"

// Receives are posted in MPI before the process has a team. Then the process receives through the library.
// Large messages to the early receives must arrive unannounced. Messages are announced only after the last
// early receive has finished.

using namespace test_support;
namespace peers = helper::message::peers;
namespace traffic = helper::shm::traffic;

namespace {

constexpr int small_tag = 1;
constexpr int first_tag = 10;
constexpr int ints = 100'000;

/// Returns a buffer of single ints with gaps.
Data scattered() {
  Type type(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  return Data({std::move(type), 1}, ints);
}

/// An early receive. Each has a tag of its own.
struct Early {
  Early() : data(scattered()) {}
  Data data;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Returns whether there is only one early receive. It is so with a team of one thread.
bool is_single() {
  return team_size() == 1;
}

void post(std::vector<Early>& early, MPI_Comm comm) {
  const auto add = [&] {
    early.emplace_back();
    return first_tag + static_cast<int>(early.size()) - 1;
  };
  int tag = add();
  MPI_Irecv(early.back().data.address(), 1, early.back().data.type(), 0, tag, comm, &early.back().request);
  if (is_single()) return;
  tag = add();
  MPI_Recv_init(early.back().data.address(), 1, early.back().data.type(), 0, tag, comm,
                &early.back().request);
  MPI_Start(&early.back().request);
  tag = add();
  MPI_Recv_init(early.back().data.address(), 1, early.back().data.type(), MPI_ANY_SOURCE, tag, comm,
                &early.back().request);
  MPI_Startall(1, &early.back().request);
}

int early_receives() {
  return is_single() ? 1 : 3;
}

/// A thread that waits in MPI_Recv. Without a thread if there is only one early receive.
class Blocked {
public:
  Blocked(MPI_Comm comm, int tag) {
    if (is_single()) return;
    data_.emplace(scattered());
    const std::uint64_t before = traffic::requests();
    thread_ = std::thread(
        [this, comm, tag] { MPI_Recv(data_->address(), 1, data_->type(), 0, tag, comm, MPI_STATUS_IGNORE); });
    while (traffic::requests() == before) std::this_thread::yield();
  }
  ~Blocked() { end(); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

  /// Waits until the thread has received. Returns whether the message was `key`.
  bool has_received(int key) {
    if (!thread_.joinable()) return true;
    end();
    return data_->holds(key, ints);
  }

private:
  void end() {
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Data> data_;
  std::thread thread_;
};

void send(Helpers& helpers, const Comm& world, int tag, int key) {
  Data data = scattered();
  data.put(key);
  helpers.phase([&] { MPI_Send(data.address(), data.count(), data.type(), 1, tag, world); });
}

/// Ranks 0 and 1 wait for each other.
void meet(const Comm& world) {
  const int other = 1 - world.rank();
  PMPI_Sendrecv(nullptr, 0, MPI_INT, other, 0, nullptr, 0, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
}

/// Rank 1 receives a message through the library, from which rank 0 learns that it does.
void receive_one(Helpers& helpers, const Comm& world) {
  if (world.rank() == 0) {
    send(helpers, world, small_tag, 1);
  } else {
    Data data = scattered();
    helpers.phase([&] {
      MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, data.address(), 1, data.type(), 0, small_tag, world,
                   MPI_STATUS_IGNORE);
    });
    CHECK(data.holds(1, ints));
  }
  meet(world);
}

} // namespace

TEST_CASE("Receives that are older than the first team are sent data") {
  const Comm world(MPI_COMM_WORLD);
  if (world.rank() > 1) return;
  const int blocked_tag = first_tag + early_receives();
  std::vector<Early> early;
  early.reserve(3);
  std::optional<Blocked> blocked;
  if (world.rank() == 1) {
    post(early, world);
    blocked.emplace(world, blocked_tag);
  }
  meet(world);
  Helpers helpers;

  receive_one(helpers, world);
  if (world.rank() == 0) {
    CHECK(!peers::is_ready(1));
    for (int i = 0; i < early_receives(); ++i) send(helpers, world, first_tag + i, 2 + i);
    if (!is_single()) send(helpers, world, blocked_tag, 2 + early_receives());
  } else {
    helpers.phase([&] {
      for (int i = 0; i < early_receives(); ++i) {
        Early& each = early[static_cast<std::size_t>(i)];
        MPI_Wait(&each.request, MPI_STATUS_IGNORE);
        CHECK(each.data.holds(2 + i, ints));
        if (each.request != MPI_REQUEST_NULL) MPI_Request_free(&each.request);
      }
    });
    CHECK(blocked->has_received(2 + early_receives()));
  }
  receive_one(helpers, world);
  if (world.rank() == 0) CHECK(peers::is_ready(1));
  receive_one(helpers, world);
}
