// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <unistd.h>

#include <array>
#include <string>

#include "message/roles.hpp"
#include "support/as_shared_library.hpp"

// A transfer makes progress while one side is in another blocking call. The other side lets that call end
// only after it has finished the transfer.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int other_tag = 2;

/// A call of both of two ranks. It blocks the rank that calls it with `early` until the other rank calls it.
struct Blocking {
  const char* name;
  void (*call)(MPI_Comm comm, int peer, bool early);
};

void release(MPI_Comm comm, int peer) {
  MPI_Send(nullptr, 0, MPI_INT, peer, other_tag, comm);
}

void await(MPI_Comm comm, int peer) {
  MPI_Recv(nullptr, 0, MPI_INT, peer, other_tag, comm, MPI_STATUS_IGNORE);
}

template <auto Probe>
void probe(MPI_Comm comm, int peer, bool early) {
  if (!early) return release(comm, peer);
  Probe(peer, other_tag, comm, MPI_STATUS_IGNORE);
  await(comm, peer);
}

template <auto Mprobe>
void probe_matched(MPI_Comm comm, int peer, bool early) {
  if (!early) return release(comm, peer);
  MPI_Message message = MPI_MESSAGE_NULL;
  Mprobe(peer, other_tag, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
}

void split(MPI_Comm comm, int, bool) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, 0, 0, &part);
  MPI_Comm_free(&part);
}

void duplicate(MPI_Comm comm, int, bool) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_free(&copy);
}

void fence(MPI_Comm comm, int, bool) {
  int exposed = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(&exposed, sizeof exposed, 1, MPI_INFO_NULL, comm, &window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

void broadcast(MPI_Comm comm, int, bool) {
  std::vector<int> values(100'000);
  MPI_Bcast(values.data(), 50'000, Type(PMPI_Type_vector, 1, 1, 2, MPI_INT), 0, comm);
}

/// A file and a window of both ranks. They exist before the transfer, because making them would wait for it.
MPI_File file = MPI_FILE_NULL;
MPI_Win window = MPI_WIN_NULL;

class Opened {
public:
  explicit Opened(const Comm& pair) {
    std::string path = "/tmp/mpi_helper_blocked." + std::to_string(getpid());
    path.resize(64);
    MPI_Bcast(path.data(), 64, MPI_CHAR, 0, pair);
    REQUIRE(MPI_File_open(pair, path.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                          MPI_INFO_NULL, &file) == MPI_SUCCESS);
    MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, pair, &window);
  }
  ~Opened() {
    MPI_Win_free(&window);
    MPI_File_close(&file);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

template <auto Begin, auto End>
void collectively(MPI_Comm, int, bool) {
  std::array<int, 10> values{};
  Begin(file, values.data(), 10, MPI_INT);
  End(file, values.data(), MPI_STATUS_IGNORE);
}

template <auto Begin, auto End>
void collectively_at(MPI_Comm, int, bool) {
  std::array<int, 10> values{};
  Begin(file, 0, values.data(), 10, MPI_INT);
  End(file, values.data(), MPI_STATUS_IGNORE);
}

const std::vector<Blocking>& blockings() {
  static const std::vector<Blocking> all{
      {"Recv", [](MPI_Comm comm, int peer, bool early) { early ? await(comm, peer) : release(comm, peer); }},
      {"Ssend",
       [](MPI_Comm comm, int peer, bool early) {
         early ? static_cast<void>(MPI_Ssend(nullptr, 0, MPI_INT, peer, other_tag, comm)) : await(comm, peer);
       }},
      {"Sendrecv",
       [](MPI_Comm comm, int peer, bool) {
         MPI_Sendrecv(nullptr, 0, MPI_INT, peer, other_tag, nullptr, 0, MPI_INT, peer, other_tag, comm,
                      MPI_STATUS_IGNORE);
       }},
      {"Waitany",
       [](MPI_Comm comm, int peer, bool early) {
         if (!early) return release(comm, peer);
         MPI_Request request = MPI_REQUEST_NULL;
         int index = 0;
         MPI_Irecv(nullptr, 0, MPI_INT, peer, other_tag, comm, &request);
         MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
       }},
      {"Test",
       [](MPI_Comm comm, int peer, bool early) {
         if (!early) return release(comm, peer);
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Irecv(nullptr, 0, MPI_INT, peer, other_tag, comm, &request);
         completing::test_until(&request, MPI_STATUS_IGNORE);
       }},
      {"Probe", probe<MPI_Probe>},
      {"Iprobe", probe<iprobe_until>},
      {"Mprobe", probe_matched<MPI_Mprobe>},
      {"Improbe", probe_matched<improbe_until>},
      {"Barrier", [](MPI_Comm comm, int, bool) { MPI_Barrier(comm); }},
      {"Allreduce",
       [](MPI_Comm comm, int, bool) {
         std::vector<int> values(100'000);
         MPI_Allreduce(MPI_IN_PLACE, values.data(), 100'000, MPI_INT, MPI_SUM, comm);
       }},
      {"Bcast", broadcast},
      {"Comm_dup", duplicate},
      {"Comm_split", split},
      {"Win_fence", fence},
      {"Win_set_info",
       [](MPI_Comm, int, bool) {
         MPI_Info info = MPI_INFO_NULL;
         MPI_Info_create(&info);
         MPI_Win_set_info(window, info);
         MPI_Info_free(&info);
       }},
      {"File_preallocate", [](MPI_Comm, int, bool) { MPI_File_preallocate(file, 4096); }},
      {"File_set_atomicity", [](MPI_Comm, int, bool) { MPI_File_set_atomicity(file, 0); }},
      {"File_seek_shared", [](MPI_Comm, int, bool) { MPI_File_seek_shared(file, 0, MPI_SEEK_SET); }},
      {"File_write_all_begin", collectively<MPI_File_write_all_begin, MPI_File_write_all_end>},
      {"File_write_at_all_begin", collectively_at<MPI_File_write_at_all_begin, MPI_File_write_at_all_end>},
      {"File_write_ordered_begin", collectively<MPI_File_write_ordered_begin, MPI_File_write_ordered_end>},
      {"File_read_all_begin", collectively<MPI_File_read_all_begin, MPI_File_read_all_end>},
      {"File_read_at_all_begin", collectively_at<MPI_File_read_at_all_begin, MPI_File_read_at_all_end>},
      {"File_read_ordered_begin", collectively<MPI_File_read_ordered_begin, MPI_File_read_ordered_end>},
  };
  return all;
}

/// The side that is in the blocking call while the other side finishes the transfer.
enum class Early { receiver, sender };

/// Rank 0 sends with `way` to rank 1. The side that `early` names has only started its part when it makes the
/// blocking call. The other side makes that call after it has finished its part.
void transfer(const Blocking& blocking, Early early, const Sending& way, const Comm& pair, int ints,
              Draw& own) {
  const int peer = 1 - pair.rank();
  Data data(own, ints);
  MPI_Request request = MPI_REQUEST_NULL;
  if (pair.rank() == 0) {
    data.put(1);
    way.start(data, {pair, peer, tag}, &request);
    if (early == Early::receiver) MPI_Wait(&request, MPI_STATUS_IGNORE);
    blocking.call(pair, peer, early == Early::sender);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  receive_later<MPI_Irecv>(data, {pair, peer, tag}, nullptr, &request);
  if (early == Early::sender) MPI_Wait(&request, MPI_STATUS_IGNORE);
  blocking.call(pair, peer, early == Early::receiver);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(data.holds(1, ints));
}

} // namespace

TEST_CASE("A transfer proceeds while one side is in another blocking call") {
  Helpers helpers;
  const int rank = Comm(MPI_COMM_WORLD).rank();
  MPI_Comm half = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  const Comm pair(half);
  if (pair.size() != 2) return;
  const Opened opened(pair);
  Draw shared(seed() + static_cast<std::uint64_t>(rank / 2));
  Draw own(seed() + 1000 + static_cast<std::uint64_t>(rank));
  const std::vector<Sending> blocking_sends{{"Send", send_at_once<MPI_Send>},
                                            {"Ssend", send_at_once<MPI_Ssend>}};
  const std::vector<Sending> starting_sends{{"Isend", send_later<MPI_Isend>},
                                            {"Issend", send_later<MPI_Issend>}};
  for (const Blocking& blocking : blockings()) {
    for (const int ints : {1000, 30'000, 300'000}) {
      for (const Early early : {Early::receiver, Early::sender}) {
        const Sending& way =
            shared.of(early == Early::sender || shared.coin() ? starting_sends : blocking_sends);
        INFO(way.name << ", the " << (early == Early::sender ? "sender" : "receiver") << " in "
                      << blocking.name << ", ints " << ints);
        helpers.phase([&] { transfer(blocking, early, way, pair, ints, own); });
      }
    }
  }
}
