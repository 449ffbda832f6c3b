// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>

#include "pipeline/stream.hpp"

namespace helper::collective {

/// A stream cut into chunks of equal size, the last one excepted.
class Chunks {
public:
  Chunks(const pipeline::Stream& stream, std::size_t bytes) : total_(stream.size()), bytes_(bytes) {}

  std::size_t count() const noexcept { return (total_ + bytes_ - 1) / bytes_; }
  std::size_t begin(std::size_t chunk) const noexcept { return chunk * bytes_; }
  std::size_t size(std::size_t chunk) const noexcept { return std::min(bytes_, total_ - begin(chunk)); }

private:
  std::size_t total_;
  std::size_t bytes_;
};

} // namespace helper::collective
