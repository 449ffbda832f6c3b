// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares the stack that calls use, on a thread of their own, with the stack that native MPI uses.

#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"

using namespace test_support;

namespace {

constexpr std::size_t stack_bytes = std::size_t{512} * 1024;

// The number in docs/compatibility.md.
constexpr std::size_t most_more = std::size_t{8} * 1024;

/// Runs `act()` on a thread whose stack has a pattern. Returns how many bytes of the stack were used.
std::size_t stack_of(const std::function<void()>& act) {
  struct alignas(4096) Page {
    unsigned char bytes[4096];
  };
  const auto stack = std::make_unique<Page[]>(stack_bytes / sizeof(Page));
  unsigned char* const begin = stack[0].bytes;
  constexpr unsigned char paint = 0xa5;
  std::fill_n(begin, stack_bytes, paint);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, begin, stack_bytes);
  pthread_t thread;
  const auto run = [](void* what) -> void* {
    (*static_cast<const std::function<void()>*>(what))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&act)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const auto* const lowest =
      std::find_if(begin, begin + stack_bytes, [](unsigned char byte) { return byte != paint; });
  return static_cast<std::size_t>(begin + stack_bytes - lowest);
}

/// A call, through the library and by native MPI.
struct Call {
  const char* name;
  bool is_by_library; ///< compared with contiguous data: MPI needs far more stack for others
  std::function<void()> carried, native;
};

struct DoubleInt {
  double value;
  int place;
};

/// A user-defined operation that adds doubles, each of which is followed by a gap.
void add_with_gaps(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* const from = static_cast<const double*>(in);
  auto* const to = static_cast<double*>(inout);
  for (std::ptrdiff_t at = 0; at < 2 * std::ptrdiff_t{*length}; at += 2) to[at] += from[at];
}

class Calls {
public:
  explicit Calls(int count)
      : count_(count), from_(2 * static_cast<std::size_t>(count), 1),
        to_(2 * static_cast<std::size_t>(count)), pairs_(static_cast<std::size_t>(count)),
        least_(static_cast<std::size_t>(count)) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    PMPI_Type_vector(count, 1, 2, MPI_DOUBLE, &column_);
    PMPI_Type_commit(&column_);
    PMPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &padded_);
    PMPI_Type_commit(&padded_);
    PMPI_Op_create(add_with_gaps, 1, &add_);
  }
  ~Calls() {
    PMPI_Op_free(&add_);
    PMPI_Type_free(&padded_);
    PMPI_Type_free(&column_);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void sendrecv(decltype(PMPI_Sendrecv) function) {
    function(from_.data(), 1, column_, 1 - rank_, 1, to_.data(), 1, column_, 1 - rank_, 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  void allreduce(decltype(PMPI_Allreduce) function) {
    function(from_.data(), to_.data(), count_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void allreduce_pairs(decltype(PMPI_Allreduce) function) {
    function(pairs_.data(), least_.data(), count_, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  }
  void allreduce_by_user(decltype(PMPI_Allreduce) function) {
    function(from_.data(), to_.data(), count_, padded_, add_, MPI_COMM_WORLD);
  }
  void reduce_scatter(decltype(PMPI_Reduce_scatter_block) function) {
    function(from_.data(), to_.data(), count_ / 2, padded_, add_, MPI_COMM_WORLD);
  }
  void bcast(decltype(PMPI_Bcast) function) { function(to_.data(), 1, column_, 0, MPI_COMM_WORLD); }
  void alltoall(decltype(PMPI_Alltoall) function) {
    function(from_.data(), count_ / 2, padded_, to_.data(), count_ / 2, padded_, MPI_COMM_WORLD);
  }
  void scan(decltype(PMPI_Scan) function) {
    function(from_.data(), to_.data(), count_, padded_, add_, MPI_COMM_WORLD);
  }

  template <class Start, class Wait>
  void iallreduce(const Start& start, const Wait& wait) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(from_.data(), to_.data(), count_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    wait(&request, MPI_STATUS_IGNORE);
  }
  template <class Start, class Wait>
  void iallreduce_pairs(const Start& start, const Wait& wait) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(pairs_.data(), least_.data(), count_, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD, &request);
    wait(&request, MPI_STATUS_IGNORE);
  }
  template <class Start, class Wait>
  void ibcast(const Start& start, const Wait& wait) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(to_.data(), 1, column_, 0, MPI_COMM_WORLD, &request);
    wait(&request, MPI_STATUS_IGNORE);
  }
  /// Sends and receives with non-blocking calls. Completes both with `wait(requests)`.
  template <class Send, class Receive, class Wait>
  void exchange(const Send& send, const Receive& receive, const Wait& wait) {
    std::array requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    receive(to_.data(), 1, column_, 1 - rank_, 1, MPI_COMM_WORLD, &requests[0]);
    send(from_.data(), 1, column_, 1 - rank_, 1, MPI_COMM_WORLD, &requests[1]);
    wait(requests.data());
  }

private:
  const int count_;
  int rank_ = 0;
  std::vector<double> from_, to_;
  std::vector<DoubleInt> pairs_, least_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  MPI_Datatype padded_ = MPI_DATATYPE_NULL;
  MPI_Op add_ = MPI_OP_NULL;
};

/// Returns a function that completes two requests one by one, with `wait(2, requests, &index, status)`.
template <class Wait>
auto any(const Wait& wait) {
  return [wait](MPI_Request* requests) {
    int index = 0;
    wait(2, requests, &index, MPI_STATUS_IGNORE);
    wait(2, requests, &index, MPI_STATUS_IGNORE);
  };
}

template <class Wait>
auto some(const Wait& wait) {
  return [wait](MPI_Request* requests) {
    std::array<int, 2> indices{};
    for (int completed = 0, left = 2; left > 0; left -= completed)
      wait(2, requests, &completed, indices.data(), MPI_STATUSES_IGNORE);
  };
}

template <class Wait>
auto all(const Wait& wait) {
  return [wait](MPI_Request* requests) { wait(2, requests, MPI_STATUSES_IGNORE); };
}

} // namespace

#define CARRIED(name, call)                                                                                  \
  Call {                                                                                                     \
#name, true, [&] { calls.call(MPI_##name); }, [&] { calls.call(PMPI_##name); }                           \
  }
#define BOTH(name, call)                                                                                     \
  Call {                                                                                                     \
#name, false, [&] { calls.call(MPI_##name); }, [&] { calls.call(PMPI_##name); }                          \
  }
#define WAITED(name, call)                                                                                   \
  Call {                                                                                                     \
#name, false, [&] { calls.call(MPI_##name, MPI_Wait); }, [&] { calls.call(PMPI_##name, PMPI_Wait); }     \
  }
#define EXCHANGED(name, complete)                                                                              \
  Call {                                                                                                       \
#name, false, [&] { calls.exchange(MPI_Isend, MPI_Irecv, complete(MPI_##name)); },                           \
           [&] { calls.exchange(PMPI_Isend, PMPI_Irecv, complete(PMPI_##name)); } \
  }

TEST_CASE("calls take little more stack than native MPI's") {
  const int count = GENERATE(16, 1000, 100000);
  Calls calls(count);
  const std::vector<Call> all_calls{
      CARRIED(Allreduce, allreduce),
      CARRIED(Allreduce, allreduce_pairs),
      CARRIED(Allreduce, allreduce_by_user),
      CARRIED(Reduce_scatter_block, reduce_scatter),
      CARRIED(Bcast, bcast),
      CARRIED(Alltoall, alltoall),
      CARRIED(Scan, scan),
      BOTH(Sendrecv, sendrecv),
      WAITED(Iallreduce, iallreduce),
      WAITED(Iallreduce, iallreduce_pairs),
      WAITED(Ibcast, ibcast),
      EXCHANGED(Waitall, all),
      EXCHANGED(Waitany, any),
      EXCHANGED(Waitsome, some),
  };
  for (const Call& call : all_calls) { // first calls use more stack, in MPI as well
    call.native();
    Helpers().phase(call.carried);
  }
  const std::size_t contiguous = stack_of(all_calls[0].native);
  std::size_t place = 0;
  for (const Call& call : all_calls) {
    const std::size_t native = call.is_by_library ? contiguous : stack_of(call.native);
    const std::size_t carried = stack_of([&] { Helpers().phase(call.carried); });
    CAPTURE(place++, call.name, count, native, carried);
    CHECK(carried <= native + most_more);
  }
}
