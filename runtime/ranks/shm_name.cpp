// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/shm_name.hpp"

#include <unistd.h>

#include <cstdio>
#include <random>

namespace helper::ranks {

ShmName unused_shm_name() {
  ShmName name{};
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/mpi_helper.%ld.%08x%08x", static_cast<long>(getpid()), random(),
                random());
  return name;
}

} // namespace helper::ranks
