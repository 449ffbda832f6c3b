// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/shared_memory.hpp"

#include <atomic>

namespace bench {

/// A barrier of two ranks without MPI, whose code and data would otherwise be in the caches afterwards.
class Meeting {
public:
  void meet(int rank) {
    std::atomic_ref(come_[rank].times).store(++times_);
    while (std::atomic_ref(come_[1 - rank].times).load() < times_) {
    }
  }

private:
  // The number of times a rank has arrived. It orders what a rank has written before for the other.
  struct alignas(64) Come {
    int times;
  };
  const SharedMemory memory_{2 * sizeof(Come)};
  Come* const come_ = static_cast<Come*>(memory_.data());
  int times_ = 0;
};

} // namespace bench
