// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>

#include "layout/packed_data.hpp"
#include "message/eager_receives.hpp"
#include "ranks/arguments.hpp"
#include "ranks/communicator.hpp"

namespace helper::message {

/// Returns a datatype that lives as long as the pointer, whatever the user frees. Throws std::bad_alloc.
std::shared_ptr<const MPI_Datatype> duplicate(MPI_Datatype type);

/// Where a receive stores. Besides the view it handles elements that only MPI can copy: their datatype has no
/// layout, they are in GPU memory, or the first of them overlap. These cannot be packed and unpacked.
///
/// An RTS would be unreadable if elements overlap, or if functions of the program unpack them. Then MPI
/// receives into other memory. settle() stores the message in the user's buffer if it is not an RTS.
class ReceiveBuffer : public layout::PackedData {
public:
  /// `type` is valid. Calls MPI; throws std::bad_alloc.
  ReceiveBuffer(void* base, MPI_Count count, MPI_Datatype type);
  explicit ReceiveBuffer(const EagerReceive& receive) noexcept;

  /// Makes an empty buffer for a native send, like that of a receive of nothing. It keeps `sent`.
  static ReceiveBuffer keeping(std::shared_ptr<const void> sent);

  /// Returns whether MPI alone can copy the bytes.
  bool is_by_mpi() const noexcept { return by_mpi_ != nullptr && !has_layout(); }

  /// Returns whether MPI receives into other memory.
  bool lands_elsewhere() const noexcept { return by_mpi_ != nullptr && by_mpi_->landing != nullptr; }
  layout::PackedData landing() const noexcept { return {by_mpi_->landing.get(), size()}; }

  /// Returns where MPI must receive: `wanted`, the user's elements, or other memory.
  ranks::Elements native(const ranks::Elements& wanted) const noexcept;

  /// Stores a message of `bytes` bytes, unless it is in place. Returns MPI's code. A thread in MPI calls it.
  int settle(std::size_t bytes) const noexcept;

  /// Copies the first bytes, as many as `packed` has and at most those of an RTS, out of the user's buffer.
  /// Returns MPI's code. A thread in MPI calls it.
  int fetch(std::span<std::byte> packed) const noexcept;

  /// Stores `packed` as the first bytes, as many as fit. Returns MPI's code. A thread in MPI calls it.
  int store(std::span<const std::byte> packed) const noexcept;

private:
  /// The elements that MPI copies, and memory for the first elements.
  struct ByMpi {
    void* base = nullptr;
    MPI_Count count = 0;
    std::shared_ptr<const MPI_Datatype> type{};
    MPI_Count first_elements = 0;
    std::size_t first_bytes = 0;
    std::unique_ptr<std::byte[]> first{};
    std::unique_ptr<std::byte[]> landing{}; ///< for all bytes, where MPI receives them here
    std::shared_ptr<const void> sent{};
  };

  std::shared_ptr<const ByMpi> by_mpi_;
};

/// Returns what ranks::valid_data() returns, for the thread's last derived datatype without calling it.
inline bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return (count >= 0 && layout::has_functions(type)) ||
         (buffer != nullptr && count >= 0 && layout::Layout::last(type) != nullptr) ||
         ranks::valid_data(buffer, count, type);
}

} // namespace helper::message
