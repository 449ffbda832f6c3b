// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

#include "common/text.hpp"

namespace bench {
namespace {

double pattern(std::size_t index) {
  return static_cast<double>(index % 101 + 1);
}

} // namespace

Workload::Workload(Operation operation, std::size_t bytes, int stride)
    : operation_(operation), bytes_(bytes), count_(static_cast<int>(bytes / sizeof(double))) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  if (operation == Operation::bcast_vector) {
    stride_ = static_cast<std::size_t>(stride);
    PMPI_Type_vector(count_, 1, stride, MPI_DOUBLE, &type_);
    PMPI_Type_commit(&type_);
    count_ = 1;
  }
  data_.resize(bytes / sizeof(double) * stride_);
  if (operation == Operation::allreduce) addends_.resize(data_.size());
}

Workload::~Workload() {
  if (type_ != MPI_DOUBLE) PMPI_Type_free(&type_);
}

std::string Workload::name() const {
  return title(operation_, static_cast<int>(stride_)) + ": " + size_name(bytes_);
}

void Workload::call(bool native, int root) {
  if (operation_ == Operation::allreduce) {
    const auto allreduce = native ? PMPI_Allreduce : MPI_Allreduce;
    allreduce(addends_.data(), data_.data(), count_, type_, MPI_SUM, MPI_COMM_WORLD);
  } else {
    const auto bcast = native ? PMPI_Bcast : MPI_Bcast;
    bcast(data_.data(), count_, type_, root, MPI_COMM_WORLD);
  }
}

bool Workload::is_right(bool native) {
  const int root = ranks_ - 1;
  const double gap = -1.0 - rank_;
  data_.assign(data_.size(), gap);
  for (std::size_t i = 0; i < input().size(); i += stride_)
    if (operation_ == Operation::allreduce || rank_ == root) input()[i] = pattern(i) * (rank_ + 1);
  call(native, root);

  // Allreduce adds 1 … ranks times the pattern; Bcast spreads the last rank's.
  const int factor = operation_ == Operation::allreduce ? ranks_ * (ranks_ + 1) / 2 : ranks_;
  for (std::size_t i = 0; i < data_.size(); ++i)
    if (data_[i] != (i % stride_ == 0 ? pattern(i) * factor : gap)) return false;
  return true;
}

double Workload::seconds(bool native, int calls) {
  constexpr std::size_t doubles_per_line = 64 / sizeof(double);
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    for (std::size_t line = 0; line < input().size(); line += doubles_per_line) input()[line] = i;
    const double start = PMPI_Wtime();
    call(native, i % ranks_);
    total += PMPI_Wtime() - start;
  }
  return total;
}

} // namespace bench
