// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "collective/reductions.hpp"
#include "support/catch.hpp"

using namespace test_support;
using namespace test_support::reductions;

namespace {

void compare(Helpers& helpers, Draw& shared, Draw& own, const Operation& operation, const Call& call,
             const Call& oracle, const Comm& comm) {
  const auto in_phase = [&](const auto& body) { helpers.phase(body); };
  REQUIRE(difference(in_phase, shared, own, operation, call, oracle, comm) == "");
}

/// Draws `count` addends of very different magnitudes. The order of additions decides how sums are rounded.
std::vector<double> draw_addends(Draw& own, int count) {
  std::vector<double> addends(static_cast<std::size_t>(count));
  for (double& value : addends) value = std::ldexp(own.upto(1 << 20) - (1 << 19), own.upto(40) - 20);
  return addends;
}

Call sum_of(const Comm& comm, MPI_Datatype type, int count) {
  Call call{comm, type, MPI_SUM, count};
  call.counts.resize(static_cast<std::size_t>(comm.size()), count / comm.size());
  call.root = comm.size() - 1;
  return call;
}

/// Returns how often to repeat what two ranks repeat `most` times. More ranks than cores are slow.
int repetitions(int most) {
  const int ranks = std::max(2, Comm(MPI_COMM_WORLD).size());
  return std::max(1, 4 * most / (ranks * ranks));
}

} // namespace

TEST_CASE("A reduction by the team gives native MPI's bits where nothing rounds") {
  Helpers helpers;
  Draw shared(seed());
  const auto pairs = defined_pairs();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : operations) {
      for (int repetition = 0; repetition < repetitions(3); ++repetition) {
        const auto [op, type] = shared.of(pairs);
        const Call call = draw_call(shared, comm, type, op, shared.bytes(2 << 20));
        compare(helpers, shared, own, operation, call, call, comm);
      }
    }
  }
}

TEST_CASE("Reductions by the team cover every operation on every type") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw shared(seed());
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  auto pairs = defined_pairs();
  shared.shuffle(pairs);
  pairs.resize(static_cast<std::size_t>(repetitions(static_cast<int>(pairs.size()))));
  for (const auto& [op, type] : pairs) {
    for (const int bytes : {400, 40000}) {
      const Call call = draw_call(shared, world, type, op, bytes);
      compare(helpers, shared, own, shared.of(operations), call, call, world);
    }
  }
}

TEST_CASE("Reductions with user-defined operations keep the order of ranks where they do not commute") {
  Helpers helpers;
  Draw shared(seed());
  const MatrixOperation multiplication(false);
  const MatrixOperation addition(true);
  std::vector<Family> shuffled = families();
  shared.shuffle(shuffled);
  std::size_t turn = 0;
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : operations) {
      for (int repetition = 0; repetition < repetitions(3); ++repetition) {
        const Family& family = shuffled[turn++ % shuffled.size()];
        const int matrices = shared.of({1, 1, 3, 40});
        const Type type = draw_matrices(shared, family, matrices);
        INFO(family.name << ", matrices in an element " << matrices);
        const MPI_Op op = shared.of({0, 0, 1}) == 1 ? addition : multiplication;
        const Type dense = type_of_matrices(PMPI_Type_contiguous, 4 * matrices, MPI_UINT32_T);
        Call call = draw_call(shared, comm, type, op, shared.bytes(1 << 20));
        Call oracle = call;
        oracle.type = dense;
        compare(helpers, shared, own, operation, call, oracle, comm);
      }
    }
  }
}

TEST_CASE("Floating-point sums are within the error bound") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const Operation& operation : operations) {
    for (int count : {1, 1000, 2049, 50001}) {
      const Call call = sum_of(world, MPI_DOUBLE, count);
      const Call exact_call = sum_of(world, MPI_LONG_DOUBLE, count);
      const auto contributes = static_cast<std::size_t>(operation.contributes(call, world.size()));
      const std::vector<double> input = draw_addends(own, static_cast<int>(contributes));
      std::vector<double> sums(contributes);
      helpers.phase([&] { operation.carried(call, input.data(), sums.data()); });

      const std::vector<long double> addends(input.begin(), input.end());
      std::vector<long double> magnitudes(contributes);
      std::ranges::transform(addends, magnitudes.begin(), [](long double value) { return std::fabs(value); });
      std::vector<long double> exact(contributes);
      std::vector<long double> bounds(contributes);
      operation.native(exact_call, addends.data(), exact.data());
      operation.native(exact_call, magnitudes.data(), bounds.data());
      const long double unit = std::numeric_limits<double>::epsilon() / 2;
      bool within = true;
      for (std::size_t i = 0; i < contributes; ++i) {
        const long double error = std::fabs(static_cast<long double>(sums[i]) - exact[i]);
        within = within && error <= world.size() * unit * bounds[i];
      }
      INFO(operation.name << ", count " << count);
      REQUIRE(within);
    }
  }
}

TEST_CASE("Floating-point sums have the same bits for every size of the team and in every run") {
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const Operation& operation : operations) {
    for (int count : {100, 50001}) {
      const Call call = sum_of(world, MPI_DOUBLE, count);
      const std::vector<double> input = draw_addends(own, operation.contributes(call, world.size()));
      std::vector<double> first;
      for (int size : {1, 2, 3, 1, 3}) {
        Helpers helpers(size);
        std::vector<double> sums(input.size());
        helpers.phase([&] { operation.carried(call, input.data(), sums.data()); });
        if (first.empty()) first = sums;
        INFO(operation.name << ", count " << count << ", team of " << size);
        REQUIRE(std::memcmp(first.data(), sums.data(), sums.size() * sizeof(double)) == 0);
      }
    }
  }
}

TEST_CASE("Floating-point sums of an allreduce have the same bits at all ranks") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (int count : {100, 50001}) {
    std::vector<double> sums = draw_addends(own, count);
    helpers.phase([&] { MPI_Allreduce(MPI_IN_PLACE, sums.data(), count, MPI_DOUBLE, MPI_SUM, world); });
    std::vector<double> of_root = sums;
    PMPI_Bcast(of_root.data(), count, MPI_DOUBLE, 0, world);
    REQUIRE(std::memcmp(sums.data(), of_root.data(), sums.size() * sizeof(double)) == 0);
  }
}

TEST_CASE("Large and small messages on communicators that come and go") {
  Helpers helpers;
  for (int repetition = 0; repetition < repetitions(40); ++repetition) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const Comm comm(copy);
    std::vector<int> values(repetition % 2 == 0 ? 1 : 30000, 1);
    helpers.phase([&] {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_SUM, comm);
    });
    REQUIRE(values == std::vector<int>(values.size(), comm.size()));
  }
}

TEST_CASE("Reductions between two groups are MPI's") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  Helpers helpers;
  const int side = world.rank() % 2;
  const Comm inter = between_groups(side == 0);
  int others = 0;
  PMPI_Comm_remote_size(inter, &others);
  const int one = 1;
  int all = 0;
  int at_root = 0;
  const int root = side == 1 ? 0 : inter.rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
  helpers.phase([&] {
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, inter);
    MPI_Reduce(&one, &at_root, 1, MPI_INT, MPI_SUM, root, inter);
  });
  REQUIRE(all == others);
  REQUIRE(at_root == (root == MPI_ROOT ? others : 0));
}

TEST_CASE("A barrier lets no rank through before all have come") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const Comm shared(node);
  if (shared.size() != world.size()) return; // the ranks of different nodes share no counter
  int* counter = nullptr;
  MPI_Aint bytes = world.rank() == 0 ? MPI_Aint{sizeof *counter} : 0;
  int unit = 0;
  MPI_Win window = MPI_WIN_NULL;
  PMPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, static_cast<void*>(&counter), &window);
  PMPI_Win_shared_query(window, 0, &bytes, &unit, static_cast<void*>(&counter));
  const std::atomic_ref<int> come(*counter);
  if (world.rank() == 0) come = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  int early = 0;
  helpers.phase([&] {
    for (int round = 1; round <= 30; ++round) {
      for (int i = 0; i < 10 && round % world.size() == world.rank(); ++i) std::this_thread::yield();
      ++come;
      MPI_Barrier(MPI_COMM_WORLD);
      if (come < round * world.size()) ++early;
    }
  });
  CHECK(early == 0);
  PMPI_Win_free(&window);
}

TEST_CASE("Reductions that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  std::vector<int> in(static_cast<std::size_t>(world.size()));
  std::vector<int> out(in.size());
  const Call right = sum_of(world, MPI_INT, world.size());
  std::vector<Call> calls(is_mpich_5_0() ? 3 : 4, right);
  calls[0].op = MPI_OP_NULL;
  calls[1].type = MPI_FLOAT;
  calls[1].op = MPI_BAND;
  calls[2].comm = MPI_COMM_NULL;
  if (calls.size() == 4) calls[3].type = MPI_DATATYPE_NULL;
  for (const Operation& operation : operations) {
    std::vector<int> carried;
    std::vector<int> native;
    const auto collect = [&](auto function, std::vector<int>& classes) {
      for (const Call& call : calls) classes.push_back(class_of(function(call, in.data(), out.data())));
      if (operation.has_root) {
        Call call = right;
        for (const int root : {-1, world.size()}) {
          call.root = root;
          classes.push_back(class_of(function(call, in.data(), out.data())));
        }
      } else if (!is_open_mpi()) { // Open MPI does not report that both buffers are the same
        classes.push_back(class_of(function(right, nullptr, out.data())));
      }
    };
    helpers.phase([&] { collect(operation.carried, carried); });
    collect(operation.native, native);
    INFO(operation.name);
    REQUIRE(carried == native);
    REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
  }
}
