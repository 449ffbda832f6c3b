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

/// Where a receive stores its message. It also handles elements that only MPI can copy: they have no layout,
/// are in GPU memory, or overlap within their first bytes. pack() and unpack() do not work for these.
///
/// If elements overlap, or functions of the program unpack them, an RTS in the user's buffer is unreadable.
/// Then MPI receives into other memory. settle() copies a message that is no RTS to the user's buffer.
class ReceiveBuffer : public layout::PackedData {
public:
  /// `type` is valid. Calls MPI; throws std::bad_alloc.
  ReceiveBuffer(void* base, MPI_Count count, MPI_Datatype type);
  explicit ReceiveBuffer(const EagerReceive& receive) noexcept;

  /// Makes an empty buffer for the operation of a native send. It keeps `sent`, the data, alive.
  static ReceiveBuffer keeping(std::shared_ptr<const void> sent);

  /// Returns whether MPI alone can copy the bytes.
  bool is_by_mpi() const noexcept { return by_mpi_ != nullptr && !has_layout(); }

  /// Returns whether MPI receives into other memory.
  bool lands_elsewhere() const noexcept { return by_mpi_ != nullptr && by_mpi_->landing != nullptr; }
  layout::PackedData landing() const noexcept { return {by_mpi_->landing.get(), size()}; }

  /// Returns where MPI must receive: into `wanted`, the user's elements, or into other memory.
  ranks::Elements native(const ranks::Elements& wanted) const noexcept;

  /// Stores a message of `bytes` bytes, if it has landed elsewhere. Returns MPI's code. May call MPI.
  int settle(std::size_t bytes) const noexcept;

  /// Copies the first bytes of the received message to `packed`, which is at most as large as an RTS. Returns
  /// MPI's code. A thread in MPI calls it.
  int fetch(std::span<std::byte> packed) const noexcept;

  /// Stores as much of `packed` as fits into the user's buffer. Returns MPI's code. A thread in MPI calls it.
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
    std::unique_ptr<std::byte[]> landing{}; ///< the other memory, if MPI receives into it
    std::shared_ptr<const void> sent{};
  };

  std::shared_ptr<const ByMpi> by_mpi_;
};

/// Does what ranks::valid_data() does, but is faster for the derived datatype that the thread used last.
inline bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return (count >= 0 && layout::has_functions(type)) ||
         (buffer != nullptr && count >= 0 && layout::Layout::last(type) != nullptr) ||
         ranks::valid_data(buffer, count, type);
}

} // namespace helper::message
