// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "collective/cases.hpp"
#include "support/catch.hpp"

// Tests counts beyond int, and data of more than 2 GiB. The buffers map the same few pages repeatedly, so
// that each period of a buffer has the same bytes.

using namespace test_support;

namespace {

constexpr std::size_t period = std::size_t{513} * 4096; // a distance cut to 32 bits is no multiple of it
constexpr MPI_Count count = MPI_Count{std::numeric_limits<int>::max()} / period * period + 2 * period;

using Bytes = std::vector<unsigned char>;

/// Address space of at least `bytes` bytes. All of it maps the same `period` bytes.
class Repeated {
public:
  explicit Repeated(MPI_Count bytes) : size_(static_cast<std::size_t>(bytes) / period * period + period) {
    const int file = memfd_create("repeated", 0);
    bool good = file >= 0 && ftruncate(file, period) == 0;
    base_ = static_cast<unsigned char*>(
        mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t at = 0; good && at < size_; at += period) {
      void* const part = mmap(base_ + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
      good = part != MAP_FAILED;
    }
    close(file);
    REQUIRE(good);
  }
  ~Repeated() { munmap(base_, size_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  unsigned char* get() const { return base_; }
  void put(const Bytes& bytes) const { std::ranges::copy(bytes, base_); }
  Bytes bytes() const { return {base_, base_ + period}; }

private:
  const std::size_t size_;
  unsigned char* base_;
};

/// Returns the period of bytes that rank `rank` sends.
Bytes sent(int rank) {
  Bytes bytes(period);
  Draw draw(seed() + static_cast<std::uint64_t>(rank));
  draw.fill(bytes);
  return bytes;
}

/// Returns the period of bytes that is the sum of those that ranks `first` to `last` send.
Bytes sum(int first, int last) {
  Bytes total(period);
  for (int rank = first; rank <= last; ++rank)
    std::ranges::transform(total, sent(rank), total.begin(), [](unsigned char x, unsigned char y) {
      return static_cast<unsigned char>(x + y);
    });
  return total;
}

/// An operation of two ranks on `count` bytes. `received` returns what `rank` must have received.
struct Operation {
  const char* name;
  std::function<int(const void* send, void* receive, int rank)> run;
  std::function<Bytes(int rank)> received;
};

const MPI_Comm world = MPI_COMM_WORLD;
const MPI_Datatype byte = MPI_UINT8_T;

const std::vector<Operation> operations{
    {"Send_c, Recv_c",
     [](const void* send, void* receive, int rank) {
       return rank == 0 ? MPI_Send_c(send, count, byte, 1, 0, world)
                        : MPI_Recv_c(receive, count, byte, 0, 0, world, MPI_STATUS_IGNORE);
     },
     [](int rank) { return rank == 0 ? Bytes(period) : sent(0); }},
    {"Bcast_c",
     [](const void* send, void* receive, int rank) {
       return MPI_Bcast_c(rank == 0 ? const_cast<void*>(send) : receive, count, byte, 0, world);
     },
     [](int rank) { return rank == 0 ? Bytes(period) : sent(0); }},
    {"Allreduce_c",
     [](const void* send, void* receive, int) {
       return MPI_Allreduce_c(send, receive, count, byte, MPI_SUM, world);
     },
     [](int) { return sum(0, 1); }},
    {"Reduce_c",
     [](const void* send, void* receive, int) {
       return MPI_Reduce_c(send, receive, count, byte, MPI_SUM, 1, world);
     },
     [](int rank) { return rank == 1 ? sum(0, 1) : Bytes(period); }},
    {"Reduce_scatter_block_c",
     [](const void* send, void* receive, int) {
       return MPI_Reduce_scatter_block_c(send, receive, count / 2 / period * period, byte, MPI_SUM, world);
     },
     [](int) { return sum(0, 1); }},
    {"Scan_c",
     [](const void* send, void* receive, int) {
       return MPI_Scan_c(send, receive, count, byte, MPI_SUM, world);
     },
     [](int rank) { return sum(0, rank); }},
    {"Allgatherv_c",
     [](const void* send, void* receive, int rank) { // rank 0 sends nothing
       const std::array<MPI_Count, 2> counts{0, count};
       const std::array<MPI_Aint, 2> places{0, 0};
       return MPI_Allgatherv_c(send, counts[static_cast<std::size_t>(rank)], byte, receive, counts.data(),
                               places.data(), byte, world);
     },
     [](int) { return sent(1); }},
    {"Alltoallv_c",
     [](const void* send, void* receive, int rank) { // each rank sends to the other one
       std::array<MPI_Count, 2> counts{count, count};
       counts[static_cast<std::size_t>(rank)] = 0;
       const std::array<MPI_Aint, 2> places{0, 0};
       return MPI_Alltoallv_c(send, counts.data(), places.data(), byte, receive, counts.data(), places.data(),
                              byte, world);
     },
     [](int rank) { return sent(1 - rank); }},
};

} // namespace

TEST_CASE("Counts that are no int are communicated by the team") {
  Helpers helpers;
  const int rank = Comm(MPI_COMM_WORLD).rank();
  const Repeated send(count);
  const Repeated receive(count);
  for (const Operation& operation : operations) {
    INFO(operation.name);
    send.put(sent(rank));
    receive.put(Bytes(period));
    int code = MPI_ERR_OTHER;
    helpers.phase([&] { code = operation.run(send.get(), receive.get(), rank); });
    CHECK(code == MPI_SUCCESS);
    CHECK((receive.bytes() == operation.received(rank)));
    CHECK((send.bytes() == sent(rank)));
  }
}

TEST_CASE("Scattered data of more than 2 GiB are broadcast by the team") {
  Helpers helpers;
  const int rank = Comm(MPI_COMM_WORLD).rank();
  const Type every_other(PMPI_Type_create_resized, MPI_INT64_T, 0, 16);
  const Repeated data(2 * count);
  const Bytes before = sent(rank);
  data.put(before);
  Bytes expected = before;
  const Bytes root = sent(0);
  for (std::size_t i = 0; i < period; i += 16) std::copy_n(&root[i], 8, &expected[i]);
  helpers.phase([&] { MPI_Bcast_c(data.get(), count / 8, every_other, 0, world); });
  CHECK((data.bytes() == expected));
}
