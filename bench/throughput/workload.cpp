// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

#include "common/text.hpp"

#include <algorithm>

namespace bench {
namespace {

double pattern(std::size_t index) {
  return static_cast<double>(index % 101 + 1);
}

} // namespace

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

Workload::Workload(Operation operation, std::size_t bytes, int stride, Memory memory)
    : operation_(operation), bytes_(bytes), count_(static_cast<int>(bytes / sizeof(double))) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  if (operation == Operation::bcast_vector) {
    stride_ = static_cast<std::size_t>(stride);
    PMPI_Type_vector(count_, 1, stride, MPI_DOUBLE, &type_);
    PMPI_Type_commit(&type_);
    count_ = 1;
  }
  const std::size_t doubles = bytes / sizeof(double) * stride_;
  for (const bool native : {false, true}) {
    Buffers& made = buffers_[native ? 0 : 1];
    made.data = Buffer(doubles, memory, native);
    if (operation == Operation::allreduce) made.addends = Buffer(doubles, memory, native);
  }
}

Workload::~Workload() {
  if (type_ != MPI_DOUBLE) PMPI_Type_free(&type_);
}

std::string Workload::name() const {
  return title(operation_, static_cast<int>(stride_)) + ": " + size_name(bytes_);
}

void Workload::call(bool native, int root) const {
  double* const data = buffers(native).data.values().data();
  if (operation_ == Operation::allreduce) {
    const auto allreduce = native ? PMPI_Allreduce : MPI_Allreduce;
    allreduce(input(native).data(), data, count_, type_, MPI_SUM, MPI_COMM_WORLD);
  } else {
    const auto bcast = native ? PMPI_Bcast : MPI_Bcast;
    bcast(data, count_, type_, root, MPI_COMM_WORLD);
  }
}

bool Workload::is_right(bool native) {
  const int root = ranks_ - 1;
  const double gap = -1.0 - rank_;
  const std::span<double> data = buffers(native).data.values();
  const std::span<double> in = input(native);
  std::ranges::fill(data, gap);
  for (std::size_t i = 0; i < in.size(); i += stride_)
    if (operation_ == Operation::allreduce || rank_ == root) in[i] = pattern(i) * (rank_ + 1);
  call(native, root);

  // Allreduce adds 1 … ranks times the pattern; Bcast spreads the last rank's.
  const int factor = operation_ == Operation::allreduce ? ranks_ * (ranks_ + 1) / 2 : ranks_;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != (i % stride_ == 0 ? pattern(i) * factor : gap)) return false;
  return true;
}

double Workload::seconds(bool native, int calls) {
  constexpr std::size_t doubles_per_line = 64 / sizeof(double);
  const std::span<double> in = input(native);
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    for (std::size_t line = 0; line < in.size(); line += doubles_per_line) in[line] = i;
    const double start = PMPI_Wtime();
    call(native, i % ranks_);
    total += PMPI_Wtime() - start;
  }
  return total;
}

} // namespace bench
