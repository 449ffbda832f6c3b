// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

// The C++ interface is thin, and other tests check what the C functions do. This test checks that the
// functions are called with the right arguments, that handles live as long as their objects, and that the
// caller gets errors by exception or error code.

namespace {

using mpi_helper::throws;
using test_support::team_size;

constexpr int id = 31;

/// Sets MPI_ERRORS_RETURN for MPI_COMM_WORLD and MPI_COMM_SELF while the object lives.
struct Returning {
  Returning() { set(MPI_ERRORS_RETURN); }
  ~Returning() { set(MPI_ERRORS_ARE_FATAL); }

  static void set(MPI_Errhandler handler) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
  }
};

/// Runs `body` in one thread for each member of a team. Returns whether all calls returned true.
template <class Body>
bool all_members(const Body& body) {
  std::atomic<int> failed{0};
  const auto member = [&] {
    if (!body()) ++failed;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < team_size(); ++i) others.emplace_back(member);
  member();
  for (std::thread& other : others) other.join();
  return failed == 0;
}

} // namespace

TEST_CASE("The version of the library is that of its headers, and versions have an order") {
  REQUIRE(mpi_helper::library_version() == mpi_helper::header_version);
  REQUIRE(mpi_helper::header_version >= mpi_helper::version{0, 9, 0});
  REQUIRE(mpi_helper::version{0, 9, 1} < mpi_helper::version{0, 10, 0});
}

TEST_CASE("Hybrid collectives take what they need from ranges") {
  const int members = test_support::size_of(MPI_COMM_WORLD) * team_size();
  const int rank = test_support::rank_of(MPI_COMM_WORLD);
  REQUIRE(all_members([&] {
    const mpi_helper::team team(id, team_size());
    auto phase = team.join();
    const std::vector<double> mine(1000, 1.5);
    std::vector<double, mpi_helper::allocator<double>> sums(1000);
    phase.allreduce(mine, sums, MPI_SUM, MPI_COMM_WORLD);
    bool right = std::ranges::all_of(sums, [&](double sum) { return sum == 1.5 * members; });

    std::complex<float> values[] = {{1, 0}, {0, 1}, {7, 7}};
    phase.allreduce(std::span(values).first(2), MPI_SUM, MPI_COMM_WORLD);
    const float all = static_cast<float>(members);
    right = right && values[0] == std::complex<float>(all, 0) && values[1] == std::complex<float>(0, all) &&
            values[2] == std::complex<float>(7, 7);

    std::vector<int> blocks(static_cast<std::size_t>(members));
    phase.allgather(std::array{rank}, blocks, MPI_COMM_WORLD);
    right = right && std::ranges::is_sorted(blocks) && std::ranges::count(blocks, rank) == team_size();
    std::array<int, 1> block{};
    phase.reduce_scatter_block(std::vector<int>(blocks.size(), 1), block, MPI_SUM, MPI_COMM_WORLD);
    right = right && block[0] == members;

    phase.fence();
    std::array<std::int64_t, 1> own{rank};
    phase.bcast(own, 0, MPI_COMM_WORLD);
    phase.barrier(MPI_COMM_WORLD);
    phase.leave();
    return right && own[0] == 0;
  }));
}

TEST_CASE("A loop takes any callable, and throws what that throws") {
  REQUIRE(all_members([] {
    const mpi_helper::team team(id, team_size());
    auto phase = team.join();
    std::vector<int> squares(1000);
    phase.for_pieces(0, 1000, 10, [&](MPI_Count from, MPI_Count to) {
      for (MPI_Count i = from; i < to; ++i) squares[static_cast<std::size_t>(i)] = static_cast<int>(i * i);
    });
    bool right = squares[0] == 0 && squares[31] == 961 && squares[999] == 998001;
    int calls = 0;
    auto counts = [&calls](MPI_Count, MPI_Count) mutable { ++calls; };
    phase.for_pieces(0, 1, 1, counts);
    try {
      phase.for_pieces(0, 100, 1, [](MPI_Count, MPI_Count) { throw 5; });
      right = false;
    } catch (int thrown) {
      right = right && thrown == 5;
    }
    return right && calls == 1;
  }));
}

TEST_CASE("An object packs what is sent") {
  struct Reversed {
    void pack(const void* buffer, MPI_Count offset, MPI_Count length, void* target) const {
      copy(static_cast<const char*>(buffer), static_cast<char*>(target), size - offset - length, length);
    }
    void unpack(void* buffer, MPI_Count offset, MPI_Count length, const void* source) const {
      std::reverse_copy(static_cast<const char*>(source), static_cast<const char*>(source) + length,
                        static_cast<char*>(buffer) + (size - offset - length));
    }
    static void copy(const char* from, char* to, MPI_Count at, MPI_Count length) {
      std::reverse_copy(from + at, from + at + length, to);
    }
    MPI_Count size;
  } reversed{5};
  MPI_Datatype type = mpi_helper::type_create(reversed, 5);
  std::array<char, 6> text{"abcde"}, bytes{}, back{};
  MPI_Sendrecv(text.data(), 1, type, 0, 0, bytes.data(), 5, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Sendrecv(bytes.data(), 5, MPI_BYTE, 0, 0, back.data(), 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  REQUIRE(std::string(bytes.data()) == "edcba");
  REQUIRE(back == text);
}

TEST_CASE("A phase ends with its scope, and by an exception; a team is freed with its object") {
  REQUIRE(all_members([] {
    for (int i = 0; i < 3; ++i) {
      mpi_helper::team team(id, team_size());
      try {
        const auto phase = team.join();
        throw i;
      } catch (int) {
      }
      mpi_helper::team moved(std::move(team));
      const auto phase = moved.join();
      if (team.handle() != MPI_HELPER_TEAM_NULL) return false;
    }
    return true;
  }));
}

TEST_CASE("Errors are thrown, or stored where one asks for that") {
  const Returning returning;
  std::error_code error;
  REQUIRE_THROWS_AS(mpi_helper::team(id, 0), std::system_error);
  const mpi_helper::team none(id, 0, MPI_INFO_NULL, error);
  REQUIRE(error == std::error_condition(MPI_ERR_ARG, mpi_helper::mpi_category()));
  REQUIRE_THAT(error.message(), Catch::Contains("team_size 0"));
  REQUIRE(none.handle() == MPI_HELPER_TEAM_NULL);

  mpi_helper::team team(id, 1);
  {
    auto phase = team.join(error);
    REQUIRE(!error);
    auto second = team.join(error);
    REQUIRE(error == std::error_condition(MPI_ERR_OTHER, mpi_helper::mpi_category()));
    const std::array<int, 2> two{};
    std::array<int, 3> three{};
    phase.allreduce(two, three, MPI_SUM, MPI_COMM_SELF, error);
    REQUIRE(error == std::error_condition(MPI_ERR_COUNT, mpi_helper::mpi_category()));
    phase.for_pieces(
        0, 1, 0, [](MPI_Count, MPI_Count) {}, error);
    REQUIRE(error == std::error_condition(MPI_ERR_ARG, mpi_helper::mpi_category()));
    REQUIRE_THROWS_AS(team.free(), std::system_error); // free() in a phase is misuse
  }
  team.free();
  REQUIRE(!throws);
}

TEST_CASE("The names of the proposal") {
  REQUIRE(all_members([] {
    MPI::Helper::Team team = MPI::Helper::Team::Create(id, team_size());
    Join(team);
    MPI::Helper::Fence(team);
    MPI::Helper::Leave(team);
    MPI::Helper::Team::Free(team);
    return true;
  }));
}

TEST_CASE("Groups") {
  const int rank = test_support::rank_of(MPI_COMM_WORLD);
  const int ranks = test_support::size_of(MPI_COMM_WORLD);
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  MPI_Comm comm = mpi_helper::group_comm_create(MPI_COMM_WORLD, everybody, 3);
  MPI_Group_free(&everybody);
  mpi_helper::sysgroup group(comm);
  MPI_Comm_free(&comm);
  REQUIRE(group.rank() == rank);
  REQUIRE(group.size() == ranks);
  REQUIRE((group.depth() == 0) == (rank == 0));
  REQUIRE((group.parent() == MPI_PROC_NULL) == (rank == 0));
  for (const int child : group.children()) REQUIRE(child > rank);

  const mpi_helper::sysgroup even = group.enroll(rank % 2 == 0);
  REQUIRE(static_cast<bool>(even) == (rank % 2 == 0));
  const mpi_helper::sysgroup alone = group.split(rank);
  REQUIRE(alone.size() == 1);
  comm = group.to_comm();
  REQUIRE(test_support::size_of(comm) == ranks);
  MPI_Comm_free(&comm);

  group.barrier();
  const std::vector<unsigned> ones(10, 1);
  std::vector<unsigned> sums(10), at_root(10);
  const std::vector<unsigned> expected(10, static_cast<unsigned>(ranks));
  group.allreduce(ones, sums, MPI_SUM);
  REQUIRE(sums == expected);
  group.reduce(ones, at_root, MPI_SUM, 0);
  REQUIRE(at_root == (rank == 0 ? expected : std::vector<unsigned>(10)));
  sums = ones;
  group.allreduce(sums, MPI_SUM);
  REQUIRE(sums == expected);
  std::iota(sums.begin(), sums.end(), static_cast<unsigned>(rank));
  group.bcast(sums, 0);
  REQUIRE(sums[9] == 9);

  std::vector<int> ranks_of_all(static_cast<std::size_t>(ranks)), in_order(ranks_of_all.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  group.allgather(std::array{rank}, ranks_of_all);
  REQUIRE(ranks_of_all == in_order);
  std::ranges::fill(ranks_of_all, -1);
  group.gather(std::array{rank}, ranks_of_all, ranks - 1);
  REQUIRE((ranks_of_all == in_order) == (rank == ranks - 1));
  std::array up_to{-1};
  group.scan(std::array{1}, up_to, MPI_SUM);
  REQUIRE(up_to[0] == rank + 1);
  group.scan(up_to, MPI_MAX);
  REQUIRE(up_to[0] == rank + 1);
  if (rank == 0) group.send(std::array{17}, ranks - 1, 5);
  if (rank == ranks - 1) {
    REQUIRE(group.recv(up_to, 0, 5).MPI_SOURCE == 0);
    REQUIRE(up_to[0] == 17);
  }

  std::array requests{group.ibarrier(), group.ireduce(ones, at_root, MPI_MAX, 0),
                      group.iallreduce(ones, sums, MPI_SUM)};
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  REQUIRE(sums == expected);
  MPI_Request request = group.ibcast(at_root, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(at_root == ones);

  group.free();
  REQUIRE(!group);
}
