// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "collective/nonblocking.hpp"

namespace helper::collective {

/// This is what a rank posts to a non-blocking operation: its data where they lie, if they lie there densely
/// and remain, or a copy. What is addressed is always a copy: behind words that say for each rank of the
/// communicator where in the copy its bytes begin, and where the last end, they lie by rank.
class Contribution {
public:
  /// Gets it ready, for as many ranks as the communicator has. Throws MpiError and std::bad_alloc.
  Contribution(team::Member& member, const Participation& of, int ranks, MPI_Comm comm);

  const std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Tells whether the user may change the buffer: it is a copy, or there are no bytes.
  bool is_own() const noexcept { return copy_ != nullptr || bytes_ == 0; }

  /// Returns a copy of the data, or nullptr if there is no memory. keep() keeps one as long as the object
  /// lives.
  std::unique_ptr<std::byte[]> copy(team::Member& member) const noexcept;
  void keep(std::unique_ptr<std::byte[]> copy) noexcept { copy_ = std::move(copy); }

private:
  void prepare(team::Member& member, const Part& part, bool remains, MPI_Comm comm);
  void prepare_addressed(team::Member& member, const std::vector<int>& readers,
                         const std::vector<Part>& parts, int ranks, MPI_Comm comm);

  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

} // namespace helper::collective
