// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collective/cases.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

enum class By { mpi, helper };

/// Memory of MPI_Alloc_mem or MPIX_Helper_alloc.
class Memory {
public:
  explicit Memory(std::size_t ints, By by = By::mpi) : by_(by) {
    const auto bytes = static_cast<MPI_Aint>(ints * sizeof(std::int32_t));
    if (by_ == By::mpi) {
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base_);
    } else {
      MPIX_Helper_alloc(bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &base_);
    }
  }
  ~Memory() { by_ == By::mpi ? MPI_Free_mem(base_) : MPIX_Helper_free(base_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::int32_t* get() const { return base_; }

private:
  const By by_;
  std::int32_t* base_ = nullptr;
};

enum class Function { allreduce, reduce, reduce_scatter };

/// What the ranks do alike.
struct Case {
  Function function;
  std::size_t ints;
  bool in_place;
  MPI_Op op;
  int root;
};

Comm world() {
  return Comm(MPI_COMM_WORLD);
}

/// The elements of each rank's share in an MPI_Reduce_scatter: the last has none, if it is not the only one.
std::vector<int> shares(std::size_t ints) {
  const auto owners = static_cast<std::size_t>(std::max(world().size() - 1, 1));
  std::vector<int> all(static_cast<std::size_t>(world().size()));
  std::fill_n(all.begin(), owners, static_cast<int>(ints / owners));
  all.front() += static_cast<int>(ints % owners);
  return all;
}

/// The call, carried or by native MPI.
int call(const Case& now, bool carried, const void* send, std::int32_t* receive) {
  const int count = static_cast<int>(now.ints);
  switch (now.function) {
  case Function::allreduce:
    return (carried ? MPI_Allreduce : PMPI_Allreduce)(send, receive, count, MPI_INT32_T, now.op, world());
  case Function::reduce:
    return (carried ? MPI_Reduce : PMPI_Reduce)(send, receive, count, MPI_INT32_T, now.op, now.root, world());
  default:
    return (carried ? MPI_Reduce_scatter : PMPI_Reduce_scatter)(send, receive, shares(now.ints).data(),
                                                                MPI_INT32_T, now.op, world());
  }
}

/// How many ints the rank gets.
std::size_t results(const Case& now) {
  const auto rank = static_cast<std::size_t>(world().rank());
  if (now.function == Function::reduce_scatter) return static_cast<std::size_t>(shares(now.ints)[rank]);
  return now.function == Function::allreduce || world().rank() == now.root ? now.ints : 0;
}

/// Whether the reduction of what is at `send`, drawn anew, comes to `receive` as with native MPI.
bool is_right(Helpers& helpers, const Case& now, Draw& draw, std::int32_t* send, std::int32_t* receive) {
  std::vector<std::int32_t> numbers(now.ints);
  for (std::int32_t& number : numbers) number = draw.upto(1 << 20);
  std::vector<std::int32_t> expected(now.ints);
  call(now, false, numbers.data(), expected.data());
  const bool in_place = now.in_place && (now.function != Function::reduce || world().rank() == now.root);
  std::int32_t* const source = in_place ? receive : send;
  std::fill_n(receive, now.ints, -1);
  std::copy(numbers.begin(), numbers.end(), source);
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = call(now, true, in_place ? MPI_IN_PLACE : send, receive); });
  const auto end = expected.begin() + static_cast<std::ptrdiff_t>(results(now));
  return code == MPI_SUCCESS && std::equal(expected.begin(), end, receive) &&
         (in_place || std::equal(numbers.begin(), numbers.end(), send));
}

} // namespace

TEST_CASE("Data in memory of MPI_Alloc_mem, or in other memory at some ranks, are reduced right") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Draw shared(seed());
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank));
  for (int round = 0; round < 40; ++round) {
    constexpr std::size_t room = 40000;
    // Anew in every round: what others have mapped of the freed memory must not be taken for this.
    const Memory send(room, own.of({By::mpi, By::helper}));
    const Memory receive(room, own.of({By::mpi, By::helper}));
    std::vector<std::int32_t> elsewhere(room);
    const bool large = round % 10 == 0;
    const Case now{shared.of({Function::allreduce, Function::reduce, Function::reduce_scatter}),
                   large ? room - 7 : 4000 + static_cast<std::size_t>(shared.upto(30000)), shared.coin(),
                   shared.of({MPI_SUM, MPI_MAX, MPI_BXOR}), shared.upto(world().size() - 1)};
    const bool all_shared = shared.upto(3) != 0;
    const bool mine_shared = all_shared || own.coin();
    std::int32_t* const to = mine_shared ? receive.get() : elsewhere.data();
    const auto at = static_cast<std::size_t>(own.upto(7));
    INFO("round " << round << ", function " << static_cast<int>(now.function) << ", " << now.ints << " ints"
                  << (now.in_place ? " in place" : ""));
    REQUIRE(is_right(helpers, now, own, send.get() + at, to + at));
    REQUIRE(is_right(helpers, now, own, send.get() + at, to + at));
  }
}

TEST_CASE("In place and through slots, both of which are tried, the sums are the same") {
  Helpers helpers;
  const int rank = world().rank();
  const int ranks = world().size();
  constexpr std::size_t ints = 9000;
  const Memory send(ints);
  const Memory receive(ints);
  for (int call = 0; call < 100; ++call) {
    CAPTURE(call);
    for (std::size_t i = 0; i < ints; ++i) send.get()[i] = static_cast<std::int32_t>(i) + rank * call;
    std::fill_n(receive.get(), ints, -1);
    helpers.phase([&] {
      MPI_Allreduce(send.get(), receive.get(), static_cast<int>(ints), MPI_INT32_T, MPI_SUM, world());
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < ints; ++i) {
      const int sum = ranks * static_cast<int>(i) + ranks * (ranks - 1) / 2 * call;
      if (receive.get()[i] != sum) ++wrong;
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("Results too large for the caches are right") {
  Helpers helpers;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank));
  constexpr std::size_t ints = (std::size_t{4} << 20) / sizeof(std::int32_t) + 12345;
  const Memory send(ints + 1);
  const Memory receive(ints + 1);
  std::vector<std::int32_t> elsewhere(ints + 1);
  for (const bool in_place : {false, true}) {
    for (const Function function : {Function::allreduce, Function::reduce, Function::reduce_scatter}) {
      const Case now{function, ints, in_place, MPI_SUM, 0};
      REQUIRE(is_right(helpers, now, own, send.get() + 1, receive.get() + 1));
      REQUIRE(is_right(helpers, now, own, send.get() + 1, elsewhere.data() + 1));
    }
  }
}

TEST_CASE("Any size can be allocated and freed, many times, also nothing") {
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> all(300);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto bytes = static_cast<MPI_Aint>(i * i * 16);
      REQUIRE(MPI_Alloc_mem(bytes, MPI_INFO_NULL, static_cast<void*>(&all[i])) == MPI_SUCCESS);
      std::fill_n(static_cast<char*>(all[i]), bytes, 'x');
    }
    for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
  }
}

namespace {

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Of the process's shared memory, what is there, in bytes.
std::size_t shared_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kibibytes = 0;
    if (word == "RssShmem:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Allocates `count` times `bytes` bytes, writes to them, and frees them.
void use_much(std::size_t count, std::size_t bytes) {
  std::vector<void*> all(count);
  for (void*& memory : all) {
    REQUIRE(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, static_cast<void*>(&memory)) ==
            MPI_SUCCESS);
    std::memset(memory, 1, bytes);
  }
  for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}

} // namespace

TEST_CASE("However much is allocated, the process has its descriptors left") {
  const Memory first(10000); // the file is there
  const std::size_t before = open_descriptors();
  std::vector<void*> all(1000);
  for (void*& memory : all)
    REQUIRE(MPI_Alloc_mem(8192, MPI_INFO_NULL, static_cast<void*>(&memory)) == MPI_SUCCESS);
  CHECK(open_descriptors() == before);
  for (void* const memory : all) REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}

TEST_CASE("What is freed is kept for the next, up to 64 MiB") {
  const std::size_t before = shared_memory();
  for (const std::size_t bytes : {std::size_t{5000}, mebibyte / 2, mebibyte, 3 * mebibyte, 9 * mebibyte}) {
    use_much(20, bytes);
    CHECK(shared_memory() <= before + 64 * mebibyte);
  }
  use_much(2, 65 * mebibyte);
  CHECK(shared_memory() <= before + 64 * mebibyte);
  use_much(1, 61 * mebibyte);
  CHECK(shared_memory() >= 61 * mebibyte);
}

TEST_CASE("What a child made by fork frees or allocates is not what its parent allocates next") {
  constexpr std::size_t ints = 10000;
  std::int32_t* before = nullptr;
  MPI_Alloc_mem(ints * sizeof *before, MPI_INFO_NULL, static_cast<void*>(&before));
  const pid_t child = fork();
  if (child == 0) {
    MPI_Free_mem(before);
    const Memory of_child(ints);
    std::fill_n(of_child.get(), ints, 9);
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  std::fill_n(before, ints, 7);
  const Memory other(ints);
  CHECK(std::count(before, before + ints, 7) == ints);
  CHECK(std::count(other.get(), other.get() + ints, 9) == 0);
  MPI_Free_mem(before);
}

TEST_CASE("What a child made by fork frees, the parent still has") {
  constexpr std::size_t ints = 10000;
  const Memory memory(ints);
  std::fill_n(memory.get(), ints, 7);
  const pid_t child = fork();
  if (child == 0) _exit(MPI_Free_mem(memory.get()));
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(std::count(memory.get(), memory.get() + ints, 7) == ints);
}

TEST_CASE("Memory that no file of the process may be as large as can be allocated all the same") {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 1 << 20), before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  void* memory = nullptr;
  const int code = MPI_Alloc_mem(2 << 20, MPI_INFO_NULL, static_cast<void*>(&memory));
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(code == MPI_SUCCESS);
  REQUIRE(MPI_Free_mem(memory) == MPI_SUCCESS);
}
