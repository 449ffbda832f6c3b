// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace bench {
namespace {

using enum Operation::Data;
using enum Operation::Result;

const MPI_Comm world = MPI_COMM_WORLD;

double pattern(std::size_t index) {
  return static_cast<double>(index % 101 + 1);
}

std::size_t own_block(const Element& of) {
  return static_cast<std::size_t>(of.rank) * of.block;
}

double sum(const Element& of) {
  return pattern(of.index) * of.ranks * (of.ranks + 1) / 2;
}
double sum_of_own_block(const Element& of) {
  return pattern(own_block(of) + of.index) * of.ranks * (of.ranks + 1) / 2;
}
double gathered(const Element& of) {
  return pattern(of.index % of.block) * static_cast<double>(of.index / of.block + 1);
}
double exchanged(const Element& of) {
  return pattern(own_block(of) + of.index % of.block) * static_cast<double>(of.index / of.block + 1);
}
double of_last(const Element& of) {
  return pattern(of.index) * of.ranks;
}

template <auto native, auto own>
void reduce_all(const Call& c) {
  (c.native ? native : own)(c.from, c.data, c.count, c.type, MPI_SUM, world);
}
template <auto native, auto own>
void move_all(const Call& c) {
  (c.native ? native : own)(c.from, c.count, c.type, c.data, c.count, c.type, world);
}
template <auto native, auto own>
void move(const Call& c) {
  (c.native ? native : own)(c.from, c.count, c.type, c.data, c.count, c.type, c.root, world);
}
void bcast(const Call& c) {
  (c.native ? PMPI_Bcast : MPI_Bcast)(c.data, c.count, c.type, c.root, world);
}

} // namespace

std::span<const Operation> operations() {
  static const Operation all[] = {
      {"allreduce", "MPI_Allreduce", block, block, reduce_all<PMPI_Allreduce, MPI_Allreduce>, sum},
      {"allreduce-ints", "MPI_Allreduce", block, block, reduce_all<PMPI_Allreduce, MPI_Allreduce>, sum},
      {"bcast", "MPI_Bcast", none, block, bcast, of_last},
      {"bcast-vector", "MPI_Bcast", none, block, bcast, of_last},
      {"reduce", "MPI_Reduce", block, block,
       [](const Call& c) {
         (c.native ? PMPI_Reduce : MPI_Reduce)(c.from, c.data, c.count, c.type, MPI_SUM, c.root, world);
       },
       sum, false, at_root},
      {"reduce-scatter", "MPI_Reduce_scatter_block", block_of_each_rank, block,
       reduce_all<PMPI_Reduce_scatter_block, MPI_Reduce_scatter_block>, sum_of_own_block, true},
      {"reduce-scatter-counts", "MPI_Reduce_scatter", block_of_each_rank, block,
       [](const Call& c) {
         (c.native ? PMPI_Reduce_scatter : MPI_Reduce_scatter)(c.from, c.data, c.counts, c.type, MPI_SUM,
                                                               world);
       },
       sum_of_own_block, true},
      {"scan", "MPI_Scan", block, block, reduce_all<PMPI_Scan, MPI_Scan>,
       [](const Element& of) { return pattern(of.index) * (of.rank + 1) * (of.rank + 2) / 2; }},
      {"exscan", "MPI_Exscan", block, block, reduce_all<PMPI_Exscan, MPI_Exscan>,
       [](const Element& of) { return pattern(of.index) * of.rank * (of.rank + 1) / 2; }, false,
       not_at_first},
      {"allgather", "MPI_Allgather", block, block_of_each_rank, move_all<PMPI_Allgather, MPI_Allgather>,
       gathered, true},
      {"allgatherv", "MPI_Allgatherv", block, block_of_each_rank,
       [](const Call& c) {
         (c.native ? PMPI_Allgatherv : MPI_Allgatherv)(c.from, c.count, c.type, c.data, c.counts,
                                                       c.displacements, c.type, world);
       },
       gathered, true},
      {"gather", "MPI_Gather", block, block_of_each_rank, move<PMPI_Gather, MPI_Gather>, gathered, false,
       at_root},
      {"scatter", "MPI_Scatter", block_of_each_rank, block, move<PMPI_Scatter, MPI_Scatter>,
       [](const Element& of) { return pattern(own_block(of) + of.index) * of.ranks; }},
      {"alltoall", "MPI_Alltoall", block_of_each_rank, block_of_each_rank,
       move_all<PMPI_Alltoall, MPI_Alltoall>, exchanged},
      {"alltoallv", "MPI_Alltoallv", block_of_each_rank, block_of_each_rank,
       [](const Call& c) {
         (c.native ? PMPI_Alltoallv : MPI_Alltoallv)(c.from, c.counts, c.displacements, c.type, c.data,
                                                     c.counts, c.displacements, c.type, world);
       },
       exchanged},
      {"barrier", "MPI_Barrier", none, none,
       [](const Call& c) { (c.native ? PMPI_Barrier : MPI_Barrier)(world); }, sum}};
  return all;
}

const Operation& operation_named(const std::string& name) {
  return *std::ranges::find_if(operations(), [&](const Operation& each) { return each.name == name; });
}

Buffer::Buffer(std::size_t count, bool alloc_mem, bool native) : count_(count) {
  if (!alloc_mem) {
    first_ = {new double[count]{}, [](double* first) { delete[] first; }};
    return;
  }
  double* first;
  (native ? PMPI_Alloc_mem : MPI_Alloc_mem)(static_cast<MPI_Aint>(count * sizeof(double)), MPI_INFO_NULL,
                                            &first);
  first_ = {first, native ? [](double* given) { PMPI_Free_mem(given); }
                          : [](double* given) { MPI_Free_mem(given); }};
  std::ranges::fill(values(), 0);
}

Workload::Workload(const Operation& operation, std::size_t bytes, bool alloc_mem)
    : operation_(operation), block_(bytes / sizeof(double)) {
  PMPI_Comm_rank(world, &rank_);
  PMPI_Comm_size(world, &ranks_);
  const auto ranks = static_cast<std::size_t>(ranks_);
  if (operation.divides) block_ = std::max<std::size_t>(block_ / ranks, 1);
  count_ = static_cast<int>(block_);
  const std::string_view name = operation.name;
  if (name == "bcast-vector") {
    stride_ = 2;
    PMPI_Type_vector(count_, 1, 2, MPI_DOUBLE, &type_);
    PMPI_Type_commit(&type_);
    count_ = 1;
    block_ *= stride_;
  }
  if (name == "allreduce-ints") {
    type_ = MPI_INT;
    count_ *= 2;
  }
  counts_.assign(ranks, count_);
  for (int rank = 0; rank < ranks_; ++rank) displacements_.push_back(rank * count_);
  const auto doubles = [&](Operation::Data data) {
    return data == none ? 0 : std::max<std::size_t>(block_, 1) * (data == block ? 1 : ranks);
  };
  for (const bool native : {false, true})
    buffers_[native ? 0 : 1] = {Buffer(doubles(operation.received), alloc_mem, native),
                                Buffer(doubles(operation.sent), alloc_mem, native)};
}

Workload::~Workload() {
  if (stride_ > 1) PMPI_Type_free(&type_);
}

std::string Workload::name() const {
  return std::string(operation_.function) + (type_ == MPI_INT ? ", contiguous ints"
                                             : stride_ > 1    ? ", vector of single doubles, stride 2"
                                                              : ", contiguous doubles");
}

void Workload::call(bool native, int root) const {
  operation_.call({native, root, input(native).data(), buffers(native).data.values().data(), count_, type_,
                   counts_.data(), displacements_.data()});
}

double Workload::element(double number) const {
  if (type_ != MPI_INT) return number;
  const int value = static_cast<int>(number);
  return std::bit_cast<double>(std::array{value, value});
}

bool Workload::is_right(bool native) {
  const int root = ranks_ - 1;
  const double gap = -1.0 - rank_;
  const std::span<double> data = buffers(native).data.values();
  const std::span<double> in = input(native);
  std::ranges::fill(data, gap);
  for (std::size_t i = 0; i < in.size(); i += stride_)
    if (!is_bcast() || rank_ == root) in[i] = element(pattern(i) * (rank_ + 1));
  call(native, root);
  for (std::size_t i = 0; i < data.size() && has_result(root); ++i)
    if (data[i] != (i % stride_ == 0 ? element(operation_.expected({i, block_, rank_, ranks_})) : gap))
      return false;
  return true;
}

double Workload::seconds(bool native, int calls) {
  constexpr std::size_t doubles_per_line = 64 / sizeof(double);
  const std::span<double> in = input(native);
  const bool is_scan = std::string_view(operation_.name).ends_with("scan");
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    for (std::size_t line = 0; line < in.size(); line += doubles_per_line) in[line] = element(i);
    if (is_scan) PMPI_Barrier(world);
    const double start = PMPI_Wtime();
    call(native, i % ranks_);
    total += PMPI_Wtime() - start;
  }
  return total;
}

} // namespace bench
