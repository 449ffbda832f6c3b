// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <sched.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

namespace test_support {

/// The values of all ranks of MPI_COMM_WORLD, without keeping the cores from them while it waits.
inline std::vector<int> from_all(const std::vector<int>& mine) {
  const int count = static_cast<int>(mine.size());
  std::vector<int> all(mine.size() * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0; PMPI_Test(&request, &done, MPI_STATUS_IGNORE)) sched_yield();
  return all;
}

/// An info object for as long as it lives.
class Info {
public:
  Info(std::initializer_list<std::pair<const char*, const char*>> hints) {
    PMPI_Info_create(&info_);
    for (const auto& [key, value] : hints) PMPI_Info_set(info_, key, value);
  }
  ~Info() { PMPI_Info_free(&info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  operator MPI_Info() const { return info_; }

private:
  MPI_Info info_ = MPI_INFO_NULL;
};

} // namespace test_support
