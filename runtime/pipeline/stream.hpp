// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "layout/packed_data.hpp"
#include "pipeline/stores.hpp"
#include "transport/communicator.hpp"
#include "transport/shadow.hpp"

namespace helper::pipeline {

/// The data of an operation, which adds to a view what MPI alone can copy, since its type has no layout or it
/// is in the memory of a GPU: that is viewed in a copy, which MPI packs by load(), and unpacks by
/// store_back(). The primary makes and destroys it.
class Stream : public layout::PackedData {
public:
  /// The elements of a call on `comm`, which are not loaded. Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
  /// The elements of an operation on `shadow`, whose present contents are loaded if they are `readable`.
  /// Throws MpiError.
  Stream(void* base, MPI_Count count, MPI_Datatype type, const transport::Shadow& shadow, bool readable);
  /// Bytes that lie densely, where the CPU may touch them: MPI is not asked about their type.
  Stream(void* dense, std::size_t bytes) noexcept : PackedData(dense, bytes) {}
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (copy_ != nullptr) give_copy_back();
  }

  /// Has MPI pack the present contents, or unpack what has been written, where there is a copy. Throw
  /// MpiError.
  void load() const {
    if (copy_ != nullptr) copy(elements_, packed());
  }
  void store_back() const {
    if (copy_ != nullptr) copy(packed(), elements_);
  }

private:
  Stream(void* base, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
         std::shared_ptr<const layout::Layout> layout);
  void give_copy_back() noexcept;
  transport::Elements packed() const noexcept {
    return {copy_.get(), static_cast<MPI_Count>(size()), MPI_PACKED};
  }
  void copy(const transport::Elements& from, const transport::Elements& to) const;

  transport::Elements elements_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  const transport::Shadow* shadow_ = nullptr;
  std::unique_ptr<std::byte[]> copy_;
};

/// Packs bytes [begin, end) of a stream into memory, which may be a slot of the arena that other ranks read.
/// Any thread may call it.
void pack(const Stream& stream, std::size_t begin, std::size_t end, std::byte* slot, Stores stores) noexcept;

} // namespace helper::pipeline
