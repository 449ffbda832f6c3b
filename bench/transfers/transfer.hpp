// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/worker.hpp"
#include "types.hpp"

#include <cstddef>
#include <vector>

namespace bench {

/// Messages of one kind and size from rank 0 to rank 1.
class Transfer : public Subject {
public:
  Transfer(const TypeFamily& family, std::size_t bytes);

  /// Sends one message of random bytes. Returns whether this rank has the right bytes, gaps included.
  bool is_right(bool native) override;

  /// Sends `calls` messages, one after the other; returns the seconds that rank 0 spent until each had been
  /// received, which an empty message tells it. Before every call both ranks write to all lines of their
  /// buffers, untimed.
  double seconds(bool native, int calls) override;

private:
  void call(bool native);

  Elements elements_;
  std::vector<unsigned char> buffer_;
  int rank_;
};

} // namespace bench
