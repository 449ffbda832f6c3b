// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "collective/moves.hpp"
#include "layout/packed_data.hpp"
#include "message/receive_buffer.hpp"

namespace helper::collective {

/// The place for results of one Part. Results that only MPI can store are kept here until the request
/// completes.
class Result {
public:
  explicit Result(const Part& part) : packed_(nullptr, 0) {
    if (part.bytes == 0) return;
    in_.emplace(part.address(), part.count, part.type);
    if (in_->is_by_mpi()) kept_ = std::make_unique_for_overwrite<std::byte[]>(part.bytes);
    packed_ = kept_ != nullptr ? layout::PackedData(kept_.get(), part.bytes) : *in_;
  }

  /// Returns the results in packed order. Any thread may store there.
  const layout::PackedData& packed() const noexcept { return packed_; }

  /// Lets MPI store what only MPI can store, and releases the datatype. Returns MPI's code.
  int finish() noexcept {
    const int code = kept_ != nullptr ? in_->store({kept_.get(), packed_.size()}) : MPI_SUCCESS;
    in_.reset();
    return code;
  }

private:
  std::optional<message::ReceiveBuffer> in_;
  std::unique_ptr<std::byte[]> kept_;
  layout::PackedData packed_;
};

} // namespace helper::collective
