// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>

#include "device/stand_in.hpp"

namespace test_support {

enum class Where { host, shared, gpu };

/// Memory for numbers: of the program, of MPI_Alloc_mem, or of the imitated GPU.
class Memory {
public:
  using Number = std::function<long(std::size_t)>;

  Memory(Where where, std::size_t count) : where_(where), count_(count) {
    const std::size_t bytes = count * sizeof(long);
    if (where == Where::gpu) at_ = static_cast<long*>(stand_in::stand_in_allocate(bytes));
    if (where == Where::shared) MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &at_);
    if (where == Where::host) at_ = new long[count];
    set([](std::size_t) { return -1; });
  }
  ~Memory() {
    if (where_ == Where::gpu) stand_in::stand_in_free(at_);
    if (where_ == Where::shared) MPI_Free_mem(at_);
    if (where_ == Where::host) delete[] at_;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  long* at() { return at_; }

  void set(const Number& value) {
    for (std::size_t i = 0; i < count_; ++i) stand_in::by_cpu(at_)[i] = value(i);
  }

  bool has(const Number& wanted) const {
    const long* const numbers = stand_in::by_cpu(at_);
    for (std::size_t i = 0; i < count_; ++i)
      if (numbers[i] != wanted(i)) return false;
    return true;
  }

private:
  Where where_;
  std::size_t count_;
  long* at_ = nullptr;
};

} // namespace test_support
