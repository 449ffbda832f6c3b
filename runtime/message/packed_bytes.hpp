// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include "layout/packed_data.hpp"
#include "message/rendezvous.hpp"
#include "native/large_counts.hpp"
#include "pipeline/lane.hpp"
#include "team/team.hpp"

namespace helper::message {

/// Memory for the packed stream of elements that functions of the program pack. MPI gets its bytes.
class PackedBytes {
public:
  /// A negative number of elements gives one of bytes, which MPI rejects. Throws std::bad_alloc.
  PackedBytes(const void* base, MPI_Count count, MPI_Datatype type)
      : elements_(base, count > 0 ? count : 0, layout::Layout::of(type)),
        count_(count > 0 ? static_cast<MPI_Count>(elements_.size()) : count) {
    const auto element = static_cast<MPI_Count>(elements_.layout().size());
    if (element != 0 && count > std::numeric_limits<MPI_Count>::max() / element) throw std::bad_alloc();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(elements_.size());
  }

  std::byte* data() const noexcept { return bytes_.get(); }

  /// Returns `call(count, type)`, with the count and the type of the bytes for MPI.
  template <class Call>
  int give(const Call& call) const {
    return native::with_bytes(count_, call);
  }

  /// These copy all bytes from the elements, or to the elements, with the team.
  void load(team::Member& member) const noexcept { pipeline::pack_all(member, elements_, bytes_.get()); }
  void store(team::Member& member) const noexcept {
    pipeline::unpack_first(member, elements_, elements_.size(), bytes_.get());
  }

private:
  layout::PackedData elements_;
  MPI_Count count_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// Does what `start` does, for elements that the program packs. Only the library may wait for `request`.
int start_packed(team::Member& member, Start start, const PointToPoint& call, MPI_Request* request);

} // namespace helper::message
