// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "message/flavours.hpp"
#include "support/catch.hpp"

// In a phase, native non-blocking collectives can replace blocking ones, so that the waiting thread is lent.
// The results must be the same. MPI_HELPER_ALGORITHM selects this way.

using namespace test_support;

namespace {

/// The input of an operation.
struct Input {
  const Comm& comm;
  std::vector<int> values;  // the send buffer
  std::vector<int> counts;  // of each rank, equal at all ranks
  std::vector<int> offsets; // of each rank's block in a buffer
  int count;
  int root;

  int total() const { return std::accumulate(counts.begin(), counts.end(), 0); }
  int mine() const { return counts[static_cast<std::size_t>(comm.rank())]; }
};

/// Returns the contents of the receive buffer after the operation.
template <class Call>
std::vector<int> result_of(const Input& input, const Call& call) {
  std::vector<int> received(static_cast<std::size_t>(input.total() + input.count * input.comm.size() + 1),
                            -1);
  REQUIRE(call(input, received.data()) == MPI_SUCCESS);
  return received;
}

/// The operations. Outside a phase they are native. In a phase the calling thread is lent.
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
      [](const Input& in, int* out) { // every rank sends the same `mine` ints to every rank
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
        if (in.comm.rank() == 0) std::fill_n(out, in.count, 0); // MPI leaves the result of rank 0 undefined
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

namespace {

/// The blocks that a rank exchanges with its two neighbours, and their places in buffers. The second block is
/// one int longer than the first.
struct Neighbourhood {
  const Comm& comm;
  std::vector<int> values;
  std::array<int, 2> counts{3, 4};
  std::array<int, 2> offsets{1, 5};
  std::array<MPI_Aint, 2> places{4, 20};
  std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
};

/// Calls the functions with counts of type `Integer` and displacements of type `Place`. Returns the receive
/// buffer of each function.
template <class Integer, class Place, class Allgather, class Allgatherv, class Alltoall, class Alltoallv,
          class Alltoallw>
std::vector<std::vector<int>> exchange(const Neighbourhood& with, Allgather allgather, Allgatherv allgatherv,
                                       Alltoall alltoall, Alltoallv alltoallv, Alltoallw alltoallw) {
  const std::array<Integer, 2> counts{with.counts[0], with.counts[1]};
  const std::array<Integer, 2> same{3, 3};
  const std::array<Place, 2> offsets{with.offsets[0], with.offsets[1]};
  const int* const in = with.values.data();
  std::vector<std::vector<int>> out(5, std::vector<int>(12, -1));
  const std::array<int, 5> codes{
      allgather(in, 3, MPI_INT, out[0].data(), 3, MPI_INT, with.comm),
      allgatherv(in, 3, MPI_INT, out[1].data(), same.data(), offsets.data(), MPI_INT, with.comm),
      alltoall(in, 3, MPI_INT, out[2].data(), 3, MPI_INT, with.comm),
      // A rank sends counts[1] ints to the next rank, so it receives counts[1] ints from the previous one.
      alltoallv(in, counts.data(), offsets.data(), MPI_INT, out[3].data(),
                std::array{counts[1], counts[0]}.data(), std::array<Place, 2>{1, 6}.data(), MPI_INT,
                with.comm),
      alltoallw(in, counts.data(), with.places.data(), with.types.data(), out[4].data(),
                std::array{counts[1], counts[0]}.data(), std::array<MPI_Aint, 2>{4, 24}.data(),
                with.types.data(), with.comm)};
  REQUIRE(codes == std::array<int, 5>{});
  return out;
}

std::vector<std::vector<int>> exchange(const Neighbourhood& with) {
  auto results = exchange<int, int>(with, MPI_Neighbor_allgather, MPI_Neighbor_allgatherv,
                                    MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw);
#if MPI_VERSION >= 4
  std::ranges::move(exchange<MPI_Count, MPI_Aint>(with, MPI_Neighbor_allgather_c, MPI_Neighbor_allgatherv_c,
                                                  MPI_Neighbor_alltoall_c, MPI_Neighbor_alltoallv_c,
                                                  MPI_Neighbor_alltoallw_c),
                    std::back_inserter(results));
#endif
  return results;
}

} // namespace

TEST_CASE("Neighbourhood collectives in a phase give native MPI's results") {
  Helpers helpers;
  const int size = Comm(MPI_COMM_WORLD).size();
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  const Comm comm(ring);
  Neighbourhood with{comm, std::vector<int>(12)};
  // If both neighbours are the same rank, the vector forms of MPICH 4.0.2 swap the two blocks. They report no
  // error if a block is too small.
  if (size < 3) with.counts = {3, 3};
  std::iota(with.values.begin(), with.values.end(), 100 * comm.rank());
  const auto native = exchange(with);
  std::vector<std::vector<int>> lent;
  helpers.phase([&] { lent = exchange(with); });
  REQUIRE(lent == native);
}

TEST_CASE("Non-blocking collectives are completed in every way, among messages") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  const int rank = world.rank();
  const int next = (rank + 1) % size;
  const int previous = (rank - 1 + size) % size;
  constexpr int ints = 20'000;
  Draw own(seed() + static_cast<std::uint64_t>(rank));
  for (const Completing& completing : completings()) {
    if (completing.complete == completing::each<completing::look_until>) continue; // compares statuses
    INFO(completing.name);
    Data out({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints); // may be announced
    Data in(own, ints);
    out.put(rank);
    int from_root = rank == 0 ? 7 : 0;
    int sum = 0;
    std::vector<MPI_Request> requests(5, MPI_REQUEST_NULL);
    helpers.phase([&] {
      send_later<MPI_Isend>(out, {world, next, 0}, &requests[0]);
      MPI_Ibarrier(world, &requests[1]);
      MPI_Ibcast(&from_root, 1, MPI_INT, 0, world, &requests[2]);
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world, &requests[3]);
      receive_later<MPI_Irecv>(in, {world, previous, 0}, nullptr, &requests[4]);
      CHECK(completing.complete(requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    });
    CHECK(from_root == 7);
    CHECK(sum == size * (size - 1) / 2);
    CHECK(in.holds(previous, ints));
  }
}

#if MPI_VERSION >= 4
// Waits for each request separately: MPI_Testany and MPI_Testall of MPICH 4.0.2 take an inactive request for
// an active one.
TEST_CASE("Persistent collectives can be started again") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  int value = 0;
  int sum = 0;
  std::array<MPI_Request, 3> requests{};
  helpers.phase([&] {
    MPI_Barrier_init(world, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, world, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[2]);
    for (const int sent : {1, 2}) {
      if (world.rank() == 0) value = sent;
      for (MPI_Request& request : requests) {
        CHECK(MPI_Start(&request) == MPI_SUCCESS);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      }
      CHECK(value == sent);
      CHECK(sum == sent * world.size());
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
}
#endif
