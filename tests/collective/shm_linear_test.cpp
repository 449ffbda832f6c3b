// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations on small data through control blocks, in quick succession. The test computes the
// expected results itself, because calls of native MPI would keep the ranks in step. Other tests, such as
// reductions_test.cpp, compare with native MPI.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "collective/cases.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

using Numbers = std::vector<std::uint64_t>;

/// An operation of all ranks, with its arguments. All ranks know all contributions.
struct Call {
  const Comm& comm;
  int count; // numbers that a rank contributes in each part, such as the part for one receiver
  int root;
  std::uint64_t stream;

  int rank() const { return comm.rank(); }
  int ranks() const { return comm.size(); }
  bool at_root() const { return rank() == root; }

  /// Returns what `rank` contributes in part `part`.
  Numbers contribution(int rank, int part = 0) const {
    Numbers numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(),
              stream + static_cast<std::uint64_t>(1'000'003 * rank + 1009 * part));
    return numbers;
  }
  Numbers contributions(int rank, int parts) const {
    Numbers all;
    for (int part = 0; part < parts; ++part) append(all, contribution(rank, part));
    return all;
  }
  Numbers sum(int ranks, int part = 0) const {
    Numbers total(static_cast<std::size_t>(count));
    for (int rank = 0; rank < ranks; ++rank)
      std::ranges::transform(total, contribution(rank, part), total.begin(), std::plus());
    return total;
  }
  /// Returns what all ranks contribute in part `part`, in rank order.
  Numbers collected(int part = 0) const {
    Numbers all;
    for (int rank = 0; rank < ranks(); ++rank) append(all, contribution(rank, part));
    return all;
  }
  Numbers nothing(int parts = 1) const { return Numbers(static_cast<std::size_t>(count * parts)); }

  static void append(Numbers& all, const Numbers& more) { all.insert(all.end(), more.begin(), more.end()); }
};

struct Operation {
  const char* name;
  bool (*correct)(const Call&); // makes the call and checks the result
};

const MPI_Datatype type = MPI_UINT64_T;

const std::vector<Operation> operations{
    {"Barrier", [](const Call& call) { return MPI_Barrier(call.comm) == MPI_SUCCESS; }},
    {"Bcast",
     [](const Call& call) {
       Numbers numbers = call.at_root() ? call.contribution(call.root) : call.nothing();
       MPI_Bcast(numbers.data(), call.count, type, call.root, call.comm);
       return numbers == call.contribution(call.root);
     }},
    {"Allreduce",
     [](const Call& call) {
       Numbers numbers = call.contribution(call.rank());
       MPI_Allreduce(MPI_IN_PLACE, numbers.data(), call.count, type, MPI_SUM, call.comm);
       return numbers == call.sum(call.ranks());
     }},
    {"Reduce",
     [](const Call& call) {
       const Numbers own = call.contribution(call.rank());
       Numbers numbers = call.nothing();
       MPI_Reduce(own.data(), numbers.data(), call.count, type, MPI_SUM, call.root, call.comm);
       return numbers == (call.at_root() ? call.sum(call.ranks()) : call.nothing());
     }},
    {"Reduce_scatter_block",
     [](const Call& call) {
       const Numbers own = call.contributions(call.rank(), call.ranks());
       Numbers numbers = call.nothing();
       MPI_Reduce_scatter_block(own.data(), numbers.data(), call.count, type, MPI_SUM, call.comm);
       return numbers == call.sum(call.ranks(), call.rank());
     }},
    {"Scan",
     [](const Call& call) {
       const Numbers own = call.contribution(call.rank());
       Numbers numbers = call.nothing();
       MPI_Scan(own.data(), numbers.data(), call.count, type, MPI_SUM, call.comm);
       return numbers == call.sum(call.rank() + 1);
     }},
    {"Exscan",
     [](const Call& call) {
       const Numbers own = call.contribution(call.rank());
       Numbers numbers = call.nothing();
       MPI_Exscan(own.data(), numbers.data(), call.count, type, MPI_SUM, call.comm);
       return numbers == call.sum(call.rank());
     }},
    {"Allgather",
     [](const Call& call) {
       const Numbers own = call.contribution(call.rank());
       Numbers numbers = call.nothing(call.ranks());
       MPI_Allgather(own.data(), call.count, type, numbers.data(), call.count, type, call.comm);
       return numbers == call.collected();
     }},
    {"Allgatherv",
     [](const Call& call) {
       const auto own = call.contribution(call.rank());
       std::vector<int> counts(static_cast<std::size_t>(call.ranks()), call.count);
       std::vector<int> displacements(counts.size());
       for (std::size_t rank = 0; rank < counts.size(); ++rank)
         displacements[rank] = static_cast<int>(counts.size() - rank - 1) * call.count;
       Numbers numbers = call.nothing(call.ranks());
       MPI_Allgatherv(own.data(), call.count, type, numbers.data(), counts.data(), displacements.data(), type,
                      call.comm);
       Numbers expected;
       for (int rank = call.ranks() - 1; rank >= 0; --rank) Call::append(expected, call.contribution(rank));
       return numbers == expected;
     }},
    {"Gather",
     [](const Call& call) {
       const Numbers own = call.contribution(call.rank());
       Numbers numbers = call.nothing(call.ranks());
       MPI_Gather(own.data(), call.count, type, numbers.data(), call.count, type, call.root, call.comm);
       return numbers == (call.at_root() ? call.collected() : call.nothing(call.ranks()));
     }},
    {"Scatter",
     [](const Call& call) {
       const Numbers all = call.contributions(call.root, call.ranks());
       Numbers numbers = call.nothing();
       MPI_Scatter(all.data(), call.count, type, numbers.data(), call.count, type, call.root, call.comm);
       return numbers == call.contribution(call.root, call.rank());
     }},
    {"Alltoall",
     [](const Call& call) {
       const Numbers all = call.contributions(call.rank(), call.ranks());
       Numbers numbers = call.nothing(call.ranks());
       MPI_Alltoall(all.data(), call.count, type, numbers.data(), call.count, type, call.comm);
       return numbers == call.collected(call.rank());
     }},
};

/// Returns how often to repeat what two ranks repeat `most` times. More ranks than cores are slow.
int repetitions(int most) {
  const int ranks = Comm(MPI_COMM_WORLD).size();
  return ranks <= 2 ? most : most / (ranks * ranks * ranks);
}

/// Returns a copy of the world, with the ranks in reverse order if `reversed`.
Comm copy(bool reversed) {
  const Comm world(MPI_COMM_WORLD);
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_split(world, 0, reversed ? -world.rank() : 0, &made);
  return Comm(made);
}

} // namespace

TEST_CASE("Thousands of operations of all kinds, one upon the other, on two communicators") {
  Helpers helpers;
  Draw shared(seed());
  const std::array<Comm, 2> comms{Comm(MPI_COMM_WORLD), copy(true)};
  std::string wrong;
  helpers.phase([&] {
    for (int index = 0; index < repetitions(20'000); ++index) {
      const Comm& comm = shared.of(comms);
      const int most = shared.of({1, 8, 100, 2000}); // the largest data do not fit into a payload
      const Call call{comm, shared.upto(most - 1) + 1, shared.upto(comm.size() - 1),
                      static_cast<std::uint64_t>(index) << 32};
      const Operation& operation = shared.of(operations);
      if (!operation.correct(call) && wrong.empty())
        wrong = std::string(operation.name) + ", count " + std::to_string(call.count);
    }
  });
  REQUIRE(wrong == "");
}

TEST_CASE("Communicators beyond what there are control blocks for use messages, until others are freed") {
  Helpers helpers;
  constexpr std::size_t most_alive = 80; // more communicators than control blocks
  Draw shared(seed());
  std::deque<Comm> alive;
  bool correct = true;
  for (int repetition = 0; repetition < repetitions(2000); ++repetition) {
    alive.push_back(copy(shared.coin()));
    helpers.phase([&] {
      for (int use = 0; use < 2; ++use) {
        const Call call{shared.of(alive), 5, 0, static_cast<std::uint64_t>(repetition)};
        correct = correct && shared.of(operations).correct(call);
      }
    });
    if (alive.size() < most_alive) continue;
    if (shared.coin()) {
      alive.pop_front();
    } else {
      alive.clear();
    }
  }
  REQUIRE(correct);
}
