// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "collective/cases.hpp"

// Collectives that native MPI's non-blocking forms take the place of, in a phase, must give what the blocking
// ones give; MPI_HELPER_ALGORITHM decides which they are.

using namespace test_support;

namespace {

/// What an operation is given.
struct Input {
  const Comm& comm;
  std::vector<int> values;  // the send buffer
  std::vector<int> counts;  // per rank, the same at all ranks
  std::vector<int> offsets; // of the ranks' parts in a buffer
  int count;
  int root;

  int total() const { return std::accumulate(counts.begin(), counts.end(), 0); }
  int mine() const { return counts[static_cast<std::size_t>(comm.rank())]; }
};

/// The contents of the receive buffer after the operation.
template <class Call>
std::vector<int> result_of(const Input& input, const Call& call) {
  std::vector<int> received(static_cast<std::size_t>(input.total() + input.count * input.comm.size() + 1),
                            -1);
  REQUIRE(call(input, received.data()) == MPI_SUCCESS);
  return received;
}

/// The operations: by native MPI outside a phase, lending their thread within.
std::vector<std::function<int(const Input&, int*)>> operations() {
  const auto byte_offsets = [](const Input& input) {
    std::vector<int> offsets = input.offsets;
    for (int& offset : offsets) offset *= static_cast<int>(sizeof(int));
    return offsets;
  };
  return {
      [](const Input& in, int* out) {
        return MPI_Reduce(in.values.data(), out, in.count, MPI_INT, MPI_SUM, in.root, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Gather(in.values.data(), in.count, MPI_INT, out, in.count, MPI_INT, in.root, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Gatherv(in.values.data(), in.mine(), MPI_INT, out, in.counts.data(), in.offsets.data(),
                           MPI_INT, in.root, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Scatter(in.values.data(), in.count, MPI_INT, out, in.count, MPI_INT, in.root, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Scatterv(in.values.data(), in.counts.data(), in.offsets.data(), MPI_INT, out, in.mine(),
                            MPI_INT, in.root, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Allgather(in.values.data(), in.count, MPI_INT, out, in.count, MPI_INT, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Allgatherv(in.values.data(), in.mine(), MPI_INT, out, in.counts.data(), in.offsets.data(),
                              MPI_INT, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Alltoall(in.values.data(), in.count, MPI_INT, out, in.count, MPI_INT, in.comm);
      },
      [](const Input& in, int* out) { // everybody sends `mine` ints to everybody, the same ones
        const std::vector<int> same(in.counts.size(), in.mine());
        const std::vector<int> zero(in.counts.size(), 0);
        return MPI_Alltoallv(in.values.data(), same.data(), zero.data(), MPI_INT, out, in.counts.data(),
                             in.offsets.data(), MPI_INT, in.comm);
      },
      [byte_offsets](const Input& in, int* out) {
        const std::vector<int> same(in.counts.size(), in.mine());
        const std::vector<int> zero(in.counts.size(), 0);
        const std::vector<MPI_Datatype> ints(in.counts.size(), MPI_INT);
        return MPI_Alltoallw(in.values.data(), same.data(), zero.data(), ints.data(), out, in.counts.data(),
                             byte_offsets(in).data(), ints.data(), in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Reduce_scatter(in.values.data(), out, in.counts.data(), MPI_INT, MPI_SUM, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Reduce_scatter_block(in.values.data(), out, in.count, MPI_INT, MPI_SUM, in.comm);
      },
      [](const Input& in, int* out) {
        return MPI_Scan(in.values.data(), out, in.count, MPI_INT, MPI_SUM, in.comm);
      },
      [](const Input& in, int* out) {
        const int code = MPI_Exscan(in.values.data(), out, in.count, MPI_INT, MPI_SUM, in.comm);
        if (in.comm.rank() == 0) std::fill_n(out, in.count, 0); // undefined there
        return code;
      },
  };
}

} // namespace

TEST_CASE("Collectives that lend their thread give native MPI's results") {
  Helpers helpers;
  Draw shared(seed());
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    int index = 0;
    for (const auto& operation : operations()) {
      Input input{comm, {}, {}, {0}, shared.upto(2000), shared.upto(comm.size() - 1)};
      for (int rank = 0; rank < comm.size(); ++rank) {
        input.counts.push_back(shared.upto(2000));
        input.offsets.push_back(input.offsets.back() + input.counts.back());
      }
      input.values.resize(static_cast<std::size_t>(input.total() + (input.count + 2000) * comm.size()));
      for (int& value : input.values) value = own.upto(1 << 20);
      INFO("operation " << index++ << ", ranks " << comm.size() << ", root " << input.root << ", count "
                        << input.count);
      const auto native = result_of(input, operation);
      std::vector<int> lent;
      helpers.phase([&] { lent = result_of(input, operation); });
      REQUIRE(lent == native);
    }
  }
}

TEST_CASE("Neighbourhood collectives that lend their thread give native MPI's results") {
  Helpers helpers;
  const int size = Comm(MPI_COMM_WORLD).size();
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  const Comm comm(ring);
  const std::array<int, 2> sent{10 * comm.rank(), 10 * comm.rank() + 1};
  const auto exchange = [&] {
    std::array<int, 4> received{};
    MPI_Neighbor_allgather(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm);
    MPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, received.data() + 2, 1, MPI_INT, comm);
    return received;
  };
  const auto native = exchange();
  std::array<int, 4> lent{};
  helpers.phase([&] { lent = exchange(); });
  REQUIRE(lent == native);
}
