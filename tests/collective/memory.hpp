// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi_helper.h"

namespace test_support {

enum class By { mpi, helper };

/// Memory of MPI_Alloc_mem or MPIX_Helper_alloc.
class Memory {
public:
  explicit Memory(std::size_t ints, By by = By::mpi) : by_(by) {
    const auto bytes = static_cast<MPI_Aint>(ints * sizeof(std::int32_t));
    if (by_ == By::mpi) {
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base_);
    } else {
      MPIX_Helper_alloc(bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &base_);
    }
  }
  ~Memory() { by_ == By::mpi ? MPI_Free_mem(base_) : MPIX_Helper_free(base_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::int32_t* get() const { return base_; }

private:
  const By by_;
  std::int32_t* base_ = nullptr;
};

} // namespace test_support
