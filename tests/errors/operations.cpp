// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "errors/operations.hpp"

#include <algorithm>
#include <numeric>

namespace test_support {

namespace {

constexpr auto untouched = Operation::untouched;
constexpr auto given = Operation::given;

int bcast(Operation& of, MPI_Comm comm) {
  if (rank_of(comm) == 0) of.out = of.in;
  return MPI_Bcast(of.out.data(), of.count, of.type, 0, comm);
}

int allreduce(Operation& of, MPI_Comm comm) {
  return MPI_Allreduce(of.in.data(), of.out.data(), of.count, MPI_LONG, MPI_SUM, comm);
}

extern "C" void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(*type, &lower, &extent);
  const auto step = static_cast<std::size_t>(extent) / sizeof(long);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count) * step; i += step)
    static_cast<long*>(inout)[i] += static_cast<long*>(in)[i];
}

int allreduce_by_user(Operation& of, MPI_Comm comm) {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    PMPI_Op_create(add, 1, &made);
    return made;
  }();
  return MPI_Allreduce(of.in.data(), of.out.data(), of.count, of.type, op, comm);
}

int reduce(Operation& of, MPI_Comm comm) {
  return MPI_Reduce(of.in.data(), of.out.data(), of.count, MPI_LONG, MPI_SUM, 0, comm);
}

int reduce_scatter(Operation& of, MPI_Comm comm) {
  return MPI_Reduce_scatter(of.in.data(), of.out.data(), of.counts.data(), MPI_LONG, MPI_SUM, comm);
}

int reduce_scatter_block(Operation& of, MPI_Comm comm) {
  return MPI_Reduce_scatter_block(of.in.data(), of.out.data(), of.count, MPI_LONG, MPI_SUM, comm);
}

int scan(Operation& of, MPI_Comm comm) {
  return MPI_Scan(of.in.data(), of.out.data(), of.count, MPI_LONG, MPI_SUM, comm);
}

int exscan(Operation& of, MPI_Comm comm) {
  return MPI_Exscan(of.in.data(), of.out.data(), of.count, MPI_LONG, MPI_SUM, comm);
}

int gather(Operation& of, MPI_Comm comm) {
  return MPI_Gather(of.in.data(), of.count, of.type, of.out.data(), of.count, of.type, 0, comm);
}

int gatherv(Operation& of, MPI_Comm comm) {
  return MPI_Gatherv(of.in.data(), of.count, of.type, of.out.data(), of.counts.data(),
                     of.displacements.data(), of.type, 0, comm);
}

int scatter(Operation& of, MPI_Comm comm) {
  return MPI_Scatter(of.in.data(), of.count, of.type, of.out.data(), of.count, of.type, 0, comm);
}

int scatterv(Operation& of, MPI_Comm comm) {
  return MPI_Scatterv(of.in.data(), of.counts.data(), of.displacements.data(), of.type, of.out.data(),
                      of.count, of.type, 0, comm);
}

int allgather(Operation& of, MPI_Comm comm) {
  return MPI_Allgather(of.in.data(), of.count, of.type, of.out.data(), of.count, of.type, comm);
}

int allgatherv(Operation& of, MPI_Comm comm) {
  return MPI_Allgatherv(of.in.data(), of.count, of.type, of.out.data(), of.counts.data(),
                        of.displacements.data(), of.type, comm);
}

int alltoall(Operation& of, MPI_Comm comm) {
  return MPI_Alltoall(of.in.data(), of.count, of.type, of.out.data(), of.count, of.type, comm);
}

int alltoallv(Operation& of, MPI_Comm comm) {
  return MPI_Alltoallv(of.in.data(), of.counts.data(), of.displacements.data(), of.type, of.out.data(),
                       of.counts.data(), of.displacements.data(), of.type, comm);
}

int alltoallw(Operation& of, MPI_Comm comm) {
  return MPI_Alltoallw(of.in.data(), of.counts.data(), of.offsets.data(), of.types.data(), of.out.data(),
                       of.counts.data(), of.offsets.data(), of.types.data(), comm);
}

int neighbor_allgather(Operation& of, MPI_Comm comm) {
  return MPI_Neighbor_allgather(of.in.data(), of.count, of.type, of.out.data(), of.count, of.type, comm);
}

int neighbor_alltoallv(Operation& of, MPI_Comm comm) {
  return MPI_Neighbor_alltoallv(of.in.data(), of.counts.data(), of.displacements.data(), of.type,
                                of.out.data(), of.counts.data(), of.displacements.data(), of.type, comm);
}

int barrier(Operation&, MPI_Comm comm) {
  return MPI_Barrier(comm);
}

int sendrecv(Operation& of, MPI_Comm comm) {
  const int ranks = size_of(comm);
  const int next = (rank_of(comm) + 1) % ranks;
  const int last = (rank_of(comm) + ranks - 1) % ranks;
  return MPI_Sendrecv(of.in.data(), of.count, MPI_LONG, next, 0, of.out.data(), of.count, MPI_LONG, last, 0,
                      comm, MPI_STATUS_IGNORE);
}

/// Returns the sum of what ranks 0 to `last` send in block `block`.
long sum(int last, int block) {
  return last < 0 ? 0 : given(last, block) + sum(last - 1, block);
}

// Expected results: `only` in the first block, or `at_root` only at rank 0. All else stays untouched.
using Expected = Operation::Expected;
template <Expected block_0>
constexpr Expected only =
    [](int rank, int ranks, int block) { return block == 0 ? block_0(rank, ranks, 0) : untouched; };
template <Expected root>
constexpr Expected at_root =
    [](int rank, int ranks, int block) { return rank == 0 ? root(rank, ranks, block) : untouched; };
constexpr Expected nothing = [](int, int, int) { return untouched; };
constexpr Expected summed = [](int, int ranks, int) { return sum(ranks - 1, 0); };
constexpr Expected own_share = [](int rank, int ranks, int) { return sum(ranks - 1, rank); };
constexpr Expected prefix = [](int rank, int, int) { return sum(rank, 0); };
constexpr Expected before = [](int rank, int, int) { return rank == 0 ? untouched : sum(rank - 1, 0); };
constexpr Expected gathered = [](int, int, int block) { return given(block, 0); };
constexpr Expected scattered = [](int rank, int, int) { return given(0, rank); };
constexpr Expected transposed = [](int rank, int, int block) { return given(block, rank); };
constexpr Expected of_last = [](int rank, int ranks, int) { return given((rank + ranks - 1) % ranks, 0); };

} // namespace

Operation::Operation(const char* called, bool is_carried, int number_count, int stride, Call call,
                     Expected expected)
    : name(called), carried(is_carried), count(number_count), stride_(stride), call_(call),
      expected_(expected) {
  const int ranks = size_of(MPI_COMM_WORLD);
  const int extent = stride * static_cast<int>(sizeof(long));
  PMPI_Type_create_resized(MPI_LONG, 0, extent, &type);
  PMPI_Type_commit(&type);
  in.resize(static_cast<std::size_t>(ranks * count * stride));
  out.resize(in.size());
  for (int block = 0; block < ranks; ++block) {
    counts.push_back(count);
    displacements.push_back(block * count);
    offsets.push_back(block * count * extent);
    types.push_back(type);
  }
}

Operation::~Operation() {
  PMPI_Type_free(&type);
}

/// Calls `visit(index, block)` for each number of each block. `index` is its place in the buffer.
template <class Visit>
void Operation::for_each_number(const Visit& visit) const {
  std::size_t index = 0;
  for (int block = 0; block < static_cast<int>(counts.size()); ++block) {
    for (int i = 0; i < count; ++i, index += static_cast<std::size_t>(stride_)) visit(index, block);
  }
}

void Operation::fill(MPI_Comm comm) {
  const int rank = rank_of(comm);
  for_each_number([&](std::size_t index, int block) { in[index] = given(rank, block); });
  std::ranges::fill(out, untouched);
}

bool Operation::right(MPI_Comm comm) const {
  const int rank = rank_of(comm);
  const int ranks = size_of(comm);
  bool all = true;
  for_each_number([&](std::size_t index, int block) { all &= out[index] == expected_(rank, ranks, block); });
  return all;
}

MPI_Comm all_neighbors() {
  const int count = size_of(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, all.data(), MPI_UNWEIGHTED, count, all.data(),
                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

std::vector<std::unique_ptr<Operation>> operations() {
  constexpr int few = 10;
  constexpr int some = 2'000;   // one chunk, and more than small data
  constexpr int many = 150'000; // several chunks
  std::vector<std::unique_ptr<Operation>> all;
  const auto add_row = [&](auto... of) { all.push_back(std::make_unique<Operation>(of...)); };
  const auto broadcast = [&](const char* name, int count, int stride) {
    add_row(name, true, count, stride, bcast,
            [](int rank, int, int block) { return block == 0 || rank == 0 ? given(0, block) : untouched; });
  };
  broadcast("bcast of little", few, 1);
  broadcast("bcast of little, scattered", few, 2);
  broadcast("bcast", many, 1);
  broadcast("bcast, scattered", many, 2);
  add_row("allreduce of little", true, few, 1, allreduce, only<summed>);
  add_row("allreduce", true, many, 1, allreduce, only<summed>);
  add_row("allreduce by a user's function, scattered", true, many / 10, 2, allreduce_by_user, only<summed>);
  add_row("reduce of little", true, few, 1, reduce, at_root<only<summed>>);
  add_row("reduce_scatter of little", true, few, 1, reduce_scatter, only<own_share>);
  add_row("scan of little", true, few, 1, scan, only<prefix>);
  add_row("exscan of little", true, few, 1, exscan, only<before>);
  add_row("alltoall of little", true, few, 2, alltoall, transposed);
  add_row("reduce", true, some, 1, reduce, at_root<only<summed>>);
  add_row("reduce_scatter", true, some, 1, reduce_scatter, only<own_share>);
  add_row("reduce_scatter_block", true, some, 1, reduce_scatter_block, only<own_share>);
  add_row("scan", true, some, 1, scan, only<prefix>);
  add_row("exscan", true, some, 1, exscan, only<before>);
  add_row("gather", true, some, 2, gather, at_root<gathered>);
  add_row("scatter", true, some, 2, scatter, only<scattered>);
  add_row("allgather", true, some, 2, allgather, gathered);
  add_row("alltoall", true, some, 2, alltoall, transposed);
  add_row("gatherv", true, some, 2, gatherv, at_root<gathered>);
  add_row("scatterv", true, some, 2, scatterv, only<scattered>);
  add_row("allgatherv", true, some, 2, allgatherv, gathered);
  add_row("alltoallv", true, some, 2, alltoallv, transposed);
  add_row("alltoallw", true, some, 2, alltoallw, transposed);
  add_row("neighbor_allgather", true, few, 1, neighbor_allgather, gathered);
  add_row("neighbor_alltoallv", true, some, 2, neighbor_alltoallv, transposed);
  add_row("barrier", true, few, 1, barrier, nothing);
  add_row("sendrecv", false, few, 1, sendrecv, only<of_last>);
  return all;
}

std::unique_ptr<Operation> probe() {
  return std::make_unique<Operation>("probe", true, 10, 1, allreduce, only<summed>);
}

} // namespace test_support
