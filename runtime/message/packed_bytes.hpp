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

/// The packed bytes of elements whose datatype has pack functions of the program. MPI gets these bytes.
class PackedBytes {
public:
  /// A negative `count` stays negative, so that MPI rejects it. Throws std::bad_alloc.
  PackedBytes(const void* base, MPI_Count count, MPI_Datatype type)
      : elements_(base, count > 0 ? count : 0, layout::Layout::of(type)),
        count_(count > 0 ? static_cast<MPI_Count>(elements_.size()) : count) {
    const auto element = static_cast<MPI_Count>(elements_.layout().size());
    if (element != 0 && count > std::numeric_limits<MPI_Count>::max() / element) throw std::bad_alloc();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(elements_.size());
  }

  std::byte* data() const noexcept { return bytes_.get(); }

  /// Calls `call(count, type)`, where `count` elements of `type` are the bytes, and returns its result.
  template <class Call>
  int give(const Call& call) const {
    return native::with_bytes(count_, call);
  }

  /// load() packs all elements into the bytes, and store() unpacks them. The team helps.
  void load(team::Member& member) const noexcept { pipeline::pack_all(member, elements_, bytes_.get()); }
  void store(team::Member& member) const noexcept {
    pipeline::unpack_first(member, elements_, elements_.size(), bytes_.get());
  }

private:
  layout::PackedData elements_;
  MPI_Count count_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// Does what `start` does, for a datatype with pack functions. Only the library may complete the request.
int start_packed(team::Member& member, Start start, const PointToPoint& call, MPI_Request* request);

} // namespace helper::message
