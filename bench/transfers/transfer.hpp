// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "types.hpp"

#include <cstddef>
#include <vector>

namespace bench {

/// Messages of one shape and size from rank 0 to rank 1. The functions are called by all ranks; `native`
/// chooses PMPI_X over MPI_X, which differ within a phase only.
class Transfer {
public:
  Transfer(const Shape& shape, std::size_t bytes);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Sends one message of random bytes; whether this rank has what it should have, gaps included.
  bool is_right(bool native);

  /// Sends `calls` messages, one after the other; returns the seconds that rank 0 spent until each had been
  /// received, which an empty message tells it. Before every call both ranks write to all lines of their
  /// buffers, untimed.
  double seconds(bool native, int calls);

private:
  void call(bool native);
  void* address() { return buffer_.data() - lowest_; }

  Elements elements_;
  MPI_Aint lowest_ = 0; ///< of the first byte, from the address that MPI is given
  std::vector<unsigned char> buffer_;
  int rank_;
};

} // namespace bench
