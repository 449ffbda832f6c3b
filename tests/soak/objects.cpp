// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>

#include "soak/plan.hpp"

// Makes and frees communicators, windows, memory, groups and teams.

namespace soak {
namespace {

using namespace test_support;
using report::require;

/// Makes a communicator of all ranks or of some. Other ranks get MPI_COMM_NULL.
using Make = int (*)(const Comm& from, Draw& shared, MPI_Comm* made);

int by_dup(const Comm& from, Draw&, MPI_Comm* made) {
  return MPI_Comm_dup(from, made);
}

int by_idup(const Comm& from, Draw&, MPI_Comm* made) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(from, made, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int by_split(const Comm& from, Draw& shared, MPI_Comm* made) {
  const int colours = 1 + shared.upto(1);
  return MPI_Comm_split(from, from.rank() % colours, shared.coin() ? from.rank() : -from.rank(), made);
}

/// Makes a communicator of the last ranks. Only these call `Create`.
template <auto Create>
int by_members(const Comm& from, Draw& shared, MPI_Comm* made) {
  const int first = shared.upto(from.size() - 1);
  *made = MPI_COMM_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  std::array<std::array<int, 3>, 1> range{{{first, from.size() - 1, 1}}};
  PMPI_Comm_group(from, &all);
  PMPI_Group_range_incl(all, 1, reinterpret_cast<int(*)[3]>(range.data()), &some);
  const int code = from.rank() < first ? MPI_SUCCESS : Create(from, some, 5, made);
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
  return code;
}

int by_grid(const Comm& from, Draw& shared, MPI_Comm* made) {
  const int size = from.size();
  const int periodic = 1;
  return MPI_Cart_create(from, 1, &size, &periodic, shared.upto(1), made);
}

/// Makes a communicator, and frees it after a few operations.
void communicator(Lane& lane, Draw& shared, Draw& own) {
  const Make make = shared.of<Make>({by_dup, by_idup, by_split, by_grid, by_members<MPI_Comm_create_group>,
                                     by_members<MPIX_Group_comm_create>});
  MPI_Comm made = MPI_COMM_NULL;
  lane.call(shared.coin(),
            [&] { require(make(lane.world, shared, &made) == MPI_SUCCESS, "making a communicator"); });
  const bool in_phase = shared.coin();
  const auto count = static_cast<std::size_t>(1 + shared.upto(10'000));
  if (made == MPI_COMM_NULL) return;
  const Comm comm(made);
  const int next = (comm.rank() + 1) % comm.size();
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<int> sums(count, 1);
  std::vector<int> received(count, -1);
  lane.call(in_phase, [&] {
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(count), MPI_INT, MPI_SUM, comm);
    const std::vector<int> sent(count, comm.rank());
    MPI_Sendrecv(sent.data(), static_cast<int>(count), MPI_INT, next, 0, received.data(),
                 static_cast<int>(count), MPI_INT, previous, 0, comm, MPI_STATUS_IGNORE);
  });
  require(sums == std::vector<int>(count, comm.size()), "an allreduce on a new communicator");
  require(received == std::vector<int>(count, previous), "a message on a new communicator");
  if (own.coin()) lane.complete(false, own);
}

/// A window with three parts of `count` numbers. The previous rank puts the first. All ranks add to the
/// second, at rank 0. The next rank gets the third.
struct Window {
  Window(const Comm& comm, int numbers, bool allocates) : count(numbers) {
    const MPI_Aint bytes = 3 * count * static_cast<MPI_Aint>(sizeof(long));
    if (allocates) {
      MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, comm, static_cast<void*>(&memory), &handle);
    } else {
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, static_cast<void*>(&allocated));
      memory = allocated;
      MPI_Win_create(memory, bytes, sizeof(long), MPI_INFO_NULL, comm, &handle);
    }
    std::fill_n(memory, 2 * count, 0);
    std::fill_n(memory + 2 * count, count, 1000 + comm.rank());
  }
  ~Window() {
    MPI_Win_free(&handle);
    if (allocated != nullptr) MPI_Free_mem(allocated);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  int count;
  long* memory = nullptr;
  long* allocated = nullptr;
  MPI_Win handle = MPI_WIN_NULL;
};

/// Calls act(0), act(1) and act(2), which access the ranks targets[0], targets[1] and targets[2]. `how`
/// chooses the synchronisation. Returns when all ranks have done their accesses.
template <class Act>
void synchronised(int how, const Comm& comm, MPI_Win window, const std::array<int, 3>& targets,
                  const Act& act) {
  if (how == 0) {
    MPI_Barrier(comm); // all ranks have filled their parts
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    for (int which = 0; which < 3; ++which) act(which);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    return;
  }
  if (how == 1) {
    MPI_Group all = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &all);
    MPI_Win_post(all, 0, window);
    MPI_Win_start(all, 0, window);
    for (int which = 0; which < 3; ++which) act(which);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    PMPI_Group_free(&all);
    return;
  }
  MPI_Barrier(comm);
  if (how == 2) {
    for (int which = 0; which < 3; ++which) {
      MPI_Win_lock(MPI_LOCK_SHARED, targets[static_cast<std::size_t>(which)], 0, window);
      act(which);
      MPI_Win_unlock(targets[static_cast<std::size_t>(which)], window);
    }
  } else {
    MPI_Win_lock_all(0, window);
    for (int which = 0; which < 3; ++which) act(which);
    MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
  }
  MPI_Barrier(comm);
}

void window(Lane& lane, Draw& shared, Draw& own) {
  const int count =
      2 + 2 * shared.upto(1500); // in MPICH 4.0.2 a window whose size is no multiple of 16 is 8 bytes off
  const int how = shared.upto(3);
  const int next = (lane.rank + 1) % lane.ranks;
  const int previous = (lane.rank + lane.ranks - 1) % lane.ranks;
  const bool makes_in_phase = shared.coin();
  const bool allocates = shared.coin();
  std::optional<Window> made;
  lane.call(makes_in_phase, [&] { made.emplace(lane.world, count, allocates); });
  const Window& of = *made;
  std::vector<long> put(static_cast<std::size_t>(count), lane.rank);
  std::vector<long> added(put.size(), lane.rank + 1);
  std::vector<long> got(put.size(), -1);
  lane.call(shared.coin(), [&] {
    synchronised(how, lane.world, of.handle, {next, 0, previous}, [&](int which) {
      if (which == 0) MPI_Put(put.data(), count, MPI_LONG, next, 0, count, MPI_LONG, of.handle);
      if (which == 1)
        MPI_Accumulate(added.data(), count, MPI_LONG, 0, count, count, MPI_LONG, MPI_SUM, of.handle);
      if (which == 2) MPI_Get(got.data(), count, MPI_LONG, previous, 2 * count, count, MPI_LONG, of.handle);
    });
  });
  if (own.coin()) lane.complete(false, own);
  MPI_Win_lock(MPI_LOCK_SHARED, lane.rank, 0, of.handle); // the lock lets this rank read what has arrived
  const bool has_put = std::count(of.memory, of.memory + count, previous) == count;
  const long sum = lane.rank == 0 ? lane.ranks * (lane.ranks + 1) / 2 : 0;
  const bool has_sum = std::count(of.memory + count, of.memory + 2 * count, sum) == count;
  MPI_Win_unlock(lane.rank, of.handle);
  require(has_put, "what was put");
  require(has_sum, "what was accumulated");
  require(got == std::vector<long>(got.size(), 1000 + previous), "what was got");
  lane.call(shared.coin(), [&] { made.reset(); });
}

/// Reduces in memory of MPI_Alloc_mem, which other ranks may read. In addition each rank alone decides which
/// other blocks of such memory it allocates, keeps and frees.
void memory(Lane& lane, Draw& shared, Draw& own) {
  const auto is_intact = [](const Block& block) {
    return std::count(block.bytes, block.bytes + block.size, block.content) ==
           static_cast<std::ptrdiff_t>(block.size);
  };
  for (auto block = lane.blocks.begin(); block != lane.blocks.end();) {
    require(is_intact(*block), "memory of MPI_Alloc_mem has changed");
    if (own.coin()) {
      ++block;
      continue;
    }
    MPI_Free_mem(block->bytes);
    block = lane.blocks.erase(block);
  }
  for (int more = own.upto(4); more != 0; --more) {
    Block block{nullptr, static_cast<std::size_t>(1 + own.bytes(1 << 20)),
                static_cast<unsigned char>(own.upto(255))};
    require(MPI_Alloc_mem(static_cast<MPI_Aint>(block.size), MPI_INFO_NULL,
                          static_cast<void*>(&block.bytes)) == MPI_SUCCESS,
            "MPI_Alloc_mem");
    std::fill_n(block.bytes, block.size, block.content);
    lane.blocks.push_back(block);
  }
  const int count = 1 + shared.bytes(1 << 20) / 4;
  int* numbers = nullptr;
  MPI_Alloc_mem(2 * count * static_cast<MPI_Aint>(sizeof(int)), MPI_INFO_NULL, static_cast<void*>(&numbers));
  for (int i = 0; i < count; ++i) numbers[i] = i + lane.rank;
  lane.call(shared.coin(),
            [&] { MPI_Allreduce(numbers, numbers + count, count, MPI_INT, MPI_SUM, lane.world); });
  const int ranks = lane.ranks;
  bool is_right = true;
  for (int i = 0; i < count; ++i)
    is_right = is_right && numbers[count + i] == ranks * i + ranks * (ranks - 1) / 2;
  require(is_right, "an allreduce in memory of MPI_Alloc_mem");
  MPI_Free_mem(numbers);
}

/// Makes a group by enrolment, of all ranks or all but one, and reduces on it.
void group(Lane& lane, Draw& shared, Draw& own) {
  const MPIX_Sysgroup parent = lane.group();
  const int leaves_out = shared.upto(lane.ranks);
  const auto count = static_cast<std::size_t>(1 + shared.upto(5000));
  const int participates = lane.rank != leaves_out ? 1 : 0;
  const int members = leaves_out < lane.ranks ? lane.ranks - 1 : lane.ranks;
  lane.call(own.coin(), [&] {
    MPIX_Sysgroup made = MPIX_SYSGROUP_NULL;
    require(MPIX_Sysgroup_enroll(parent, participates, MPI_INFO_NULL, &made) == MPI_SUCCESS, "enrolment");
    require((made != MPIX_SYSGROUP_NULL) == (participates != 0), "who is enrolled");
    if (made == MPIX_SYSGROUP_NULL) return;
    std::vector<int> sums(count, 1);
    const int code =
        MPIX_Sysgroup_allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(count), MPI_INT, MPI_SUM, made);
    require(code == MPI_SUCCESS, "an error of a group's allreduce");
    require(sums == std::vector<int>(count, members), "a group's allreduce");
    MPIX_Sysgroup_free(&made);
  });
}

/// Replaces the team of the lane. The sizes of teams may differ between ranks.
void team(Lane& lane, Draw&, Draw& own) {
  lane.make_team(1 + own.upto(2));
}

} // namespace

std::vector<Kind> objects() {
  return {{"communicator", 3, communicator},
          {"window", 2, window},
          {"memory", 2, memory},
          {"system-ranked group", 2, group},
          {"team", 2, team}};
}

} // namespace soak
