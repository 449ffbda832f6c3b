// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>

namespace helper::pipeline {

/// Bytes cut into chunks of equal size, the last one excepted.
class Chunks {
public:
  Chunks(std::size_t total, std::size_t bytes) noexcept : total_(total), bytes_(bytes) {}

  std::size_t total() const noexcept { return total_; }
  std::size_t bytes() const noexcept { return bytes_; } ///< of a chunk

  std::size_t count() const noexcept { return (total_ + bytes_ - 1) / bytes_; }
  std::size_t begin(std::size_t chunk) const noexcept { return chunk * bytes_; }
  std::size_t end(std::size_t chunk) const noexcept { return std::min(total_, (chunk + 1) * bytes_); }
  std::size_t size(std::size_t chunk) const noexcept { return end(chunk) - begin(chunk); }

private:
  std::size_t total_;
  std::size_t bytes_;
};

} // namespace helper::pipeline
