// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "collective/nonblocking.hpp"

namespace helper::collective {

/// The data that a rank posts to a non-blocking operation: in place if they are contiguous and stay there,
/// otherwise a copy.
class Contribution {
public:
  /// Prepares the data. Throws MpiError and std::bad_alloc.
  Contribution(team::Member& member, const Participation& of, MPI_Comm comm);

  const std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Returns whether the user may change the buffer: it is a copy, or there are no bytes.
  bool is_own() const noexcept { return copy_ != nullptr || bytes_ == 0; }

  /// Returns a copy of the data, or nullptr if there is no memory. keep() keeps the copy while the object
  /// lives.
  std::unique_ptr<std::byte[]> copy(team::Member& member) const noexcept;
  void keep(std::unique_ptr<std::byte[]> copy) noexcept { copy_ = std::move(copy); }

private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

} // namespace helper::collective
