// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

using Bytes = std::vector<std::byte>;

int own_rank();

/// Writes bytes that differ by position and seed.
void fill_bytes(Bytes& bytes, int seed);

/// A call of MPI by one thread, in which its team may help, and buffers for it.
struct Task {
  std::string function; ///< of MPI
  std::string data;     ///< what kind of
  std::size_t bytes;    ///< of data
  std::function<void(bool native)> call;
  std::function<void()> reset; ///< before a call whose result is looked at
  std::shared_ptr<std::vector<std::byte>> result;
  std::size_t element = 1, significant = 1; ///< of so many bytes in the result the first so many count

  /// Whether the result is what native MPI makes. It is as collective as the function.
  bool is_right() const;
};

/// A task that has not been given memory yet.
struct PlannedTask {
  std::string function, data;
  std::size_t bytes;
  std::function<Task()> make;
};

/// All tasks of about `bytes` bytes, but for faces of cubes of more than 4 MiB, which lie in gigabytes of
/// memory. `collective` tells whether ranks communicate; otherwise each works for itself.
std::vector<PlannedTask> tasks(std::size_t bytes, bool collective);

/// MPI_Allreduce of doubles, by ranks that communicate: what is compared over the sizes.
PlannedTask allreduce_of_doubles(std::size_t bytes);

/// MPI_Allreduce of ints, as Graph 1 of the proposal.
PlannedTask allreduce_of_ints(std::size_t bytes);

} // namespace bench
