// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace bench {
namespace {

double pattern(std::size_t index) {
  return static_cast<double>(index % 101 + 1);
}

struct Named {
  Operation operation;
  const char *name, *function;
};
constexpr std::array named{
    Named{Operation::allreduce, "allreduce", "MPI_Allreduce"},
    Named{Operation::allreduce_ints, "allreduce-ints", "MPI_Allreduce"},
    Named{Operation::bcast, "bcast", "MPI_Bcast"},
    Named{Operation::bcast_vector, "bcast-vector", "MPI_Bcast"},
    Named{Operation::reduce, "reduce", "MPI_Reduce"},
    Named{Operation::reduce_scatter_block, "reduce-scatter", "MPI_Reduce_scatter_block"},
    Named{Operation::reduce_scatter, "reduce-scatter-counts", "MPI_Reduce_scatter"},
    Named{Operation::scan, "scan", "MPI_Scan"},
    Named{Operation::exscan, "exscan", "MPI_Exscan"},
    Named{Operation::allgather, "allgather", "MPI_Allgather"},
    Named{Operation::allgatherv, "allgatherv", "MPI_Allgatherv"},
    Named{Operation::gather, "gather", "MPI_Gather"},
    Named{Operation::scatter, "scatter", "MPI_Scatter"},
    Named{Operation::alltoall, "alltoall", "MPI_Alltoall"},
    Named{Operation::alltoallv, "alltoallv", "MPI_Alltoallv"},
    Named{Operation::barrier, "barrier", "MPI_Barrier"}};

} // namespace

const std::map<std::string, Operation>& operations() {
  static const auto by_name = [] {
    std::map<std::string, Operation> made;
    for (const Named& each : named) made[each.name] = each.operation;
    return made;
  }();
  return by_name;
}

std::string name(Operation operation) {
  return std::ranges::find(named, operation, &Named::operation)->name;
}

std::string function_name(Operation operation) {
  return std::ranges::find(named, operation, &Named::operation)->function;
}

const std::map<std::string, Memory>& memories() {
  static const std::map<std::string, Memory> by_name{{"malloc", Memory::malloc},
                                                     {"alloc_mem", Memory::alloc_mem}};
  return by_name;
}

std::string name(Memory memory) {
  return memory == Memory::malloc ? "malloc" : "alloc_mem";
}

Buffer::Buffer(std::size_t count, Memory memory, bool native) : count_(count) {
  if (memory == Memory::malloc) {
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

Workload::Workload(Operation operation, std::size_t bytes, Memory memory)
    : operation_(operation), bytes_(bytes), count_(static_cast<int>(bytes / sizeof(double))) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  if (operation == Operation::bcast_vector) {
    stride_ = 2;
    PMPI_Type_vector(count_, 1, 2, MPI_DOUBLE, &type_);
    PMPI_Type_commit(&type_);
    count_ = 1;
  }
  if (operation == Operation::allreduce_ints) {
    type_ = MPI_INT;
    count_ *= 2;
  }
  if (operation == Operation::reduce_scatter_block || operation == Operation::reduce_scatter ||
      operation == Operation::allgather || operation == Operation::allgatherv)
    count_ = std::max(count_ / ranks_, 1);
  const auto ranks = static_cast<std::size_t>(ranks_);
  counts_.assign(ranks, count_);
  for (int rank = 0; rank < ranks_; ++rank) displacements_.push_back(rank * count_);
  const std::size_t doubles = std::max<std::size_t>(bytes / sizeof(double) * stride_, 1);
  const auto block = static_cast<std::size_t>(count_);
  const auto [sent, received] = [&]() -> std::pair<std::size_t, std::size_t> {
    switch (operation) {
    case Operation::reduce_scatter_block:
    case Operation::reduce_scatter:
    case Operation::scatter:
      return {block * ranks, block};
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::gather:
      return {block, block * ranks};
    case Operation::alltoall:
    case Operation::alltoallv:
      return {block * ranks, block * ranks};
    case Operation::barrier:
      return {0, 0};
    default:
      return {is_bcast() ? 0 : doubles, doubles};
    }
  }();
  for (const bool native : {false, true}) {
    buffers_[native ? 0 : 1] = {Buffer(received, memory, native), Buffer(sent, memory, native)};
  }
}

Workload::~Workload() {
  if (operation_ == Operation::bcast_vector) PMPI_Type_free(&type_);
}

std::string Workload::name() const {
  const std::string data = operation_ == Operation::allreduce_ints ? "contiguous ints"
                           : stride_ > 1                           ? "vector of single doubles, stride 2"
                                                                   : "contiguous doubles";
  return function_name(operation_) + ", " + data + ": " + size_name(bytes_);
}

void Workload::call(bool native, int root) const {
  const MPI_Comm world = MPI_COMM_WORLD;
  double* const data = buffers(native).data.values().data();
  const double* const from = input(native).data();
  const int* const counts = counts_.data();
  const int* const at = displacements_.data();
  const auto reduce_all = [&](auto function) { function(from, data, count_, type_, MPI_SUM, world); };
  const auto move_all = [&](auto function) { function(from, count_, type_, data, count_, type_, world); };
  const auto move = [&](auto function) { function(from, count_, type_, data, count_, type_, root, world); };
  switch (operation_) {
  case Operation::allreduce:
  case Operation::allreduce_ints:
    return reduce_all(native ? PMPI_Allreduce : MPI_Allreduce);
  case Operation::reduce_scatter:
    (native ? PMPI_Reduce_scatter : MPI_Reduce_scatter)(from, data, counts, type_, MPI_SUM, world);
    return;
  case Operation::reduce_scatter_block:
    return reduce_all(native ? PMPI_Reduce_scatter_block : MPI_Reduce_scatter_block);
  case Operation::reduce:
    (native ? PMPI_Reduce : MPI_Reduce)(from, data, count_, type_, MPI_SUM, root, world);
    return;
  case Operation::scan:
    return reduce_all(native ? PMPI_Scan : MPI_Scan);
  case Operation::exscan:
    return reduce_all(native ? PMPI_Exscan : MPI_Exscan);
  case Operation::allgather:
    return move_all(native ? PMPI_Allgather : MPI_Allgather);
  case Operation::allgatherv:
    (native ? PMPI_Allgatherv : MPI_Allgatherv)(from, count_, type_, data, counts, at, type_, world);
    return;
  case Operation::alltoall:
    return move_all(native ? PMPI_Alltoall : MPI_Alltoall);
  case Operation::alltoallv:
    (native ? PMPI_Alltoallv : MPI_Alltoallv)(from, counts, at, type_, data, counts, at, type_, world);
    return;
  case Operation::gather:
    return move(native ? PMPI_Gather : MPI_Gather);
  case Operation::scatter:
    return move(native ? PMPI_Scatter : MPI_Scatter);
  case Operation::bcast:
  case Operation::bcast_vector:
    (native ? PMPI_Bcast : MPI_Bcast)(data, count_, type_, root, world);
    return;
  case Operation::barrier:
    (native ? PMPI_Barrier : MPI_Barrier)(world);
  }
}

// The input of a rank is the pattern times the rank's number, counted from 1. The last rank is the root.
double Workload::expected(std::size_t index) const {
  const auto block = static_cast<std::size_t>(count_);
  const std::size_t own_block = static_cast<std::size_t>(rank_) * block;
  const double sum = ranks_ * (ranks_ + 1) / 2.0;
  const auto from = static_cast<double>(index / block + 1);
  switch (operation_) {
  case Operation::allreduce:
  case Operation::allreduce_ints:
  case Operation::reduce:
    return pattern(index) * sum;
  case Operation::reduce_scatter_block:
  case Operation::reduce_scatter:
    return pattern(own_block + index) * sum;
  case Operation::scan:
    return pattern(index) * (rank_ + 1) * (rank_ + 2) / 2;
  case Operation::exscan:
    return pattern(index) * rank_ * (rank_ + 1) / 2;
  case Operation::allgather:
  case Operation::allgatherv:
  case Operation::gather:
    return pattern(index % block) * from;
  case Operation::alltoall:
  case Operation::alltoallv:
    return pattern(own_block + index % block) * from;
  case Operation::scatter:
    return pattern(own_block + index) * ranks_;
  default:
    return pattern(index) * ranks_;
  }
}

double Workload::element(double number) const {
  if (operation_ != Operation::allreduce_ints) return number;
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
    if (data[i] != (i % stride_ == 0 ? element(expected(i)) : gap)) return false;
  return true;
}

double Workload::seconds(bool native, int calls) {
  constexpr std::size_t doubles_per_line = 64 / sizeof(double);
  const std::span<double> in = input(native);
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    for (std::size_t line = 0; line < in.size(); line += doubles_per_line) in[line] = element(i);
    if (operation_ == Operation::scan || operation_ == Operation::exscan) PMPI_Barrier(MPI_COMM_WORLD);
    const double start = PMPI_Wtime();
    call(native, i % ranks_);
    total += PMPI_Wtime() - start;
  }
  return total;
}

} // namespace bench
