// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "layout/packed_data.hpp"
#include "team/team.hpp"

/// The MPI functions that do not communicate and whose work a team can share. The primary calls them in a
/// phase. They return nothing if native MPI shall handle the call: invalid, small or unsupported data.
namespace helper::local {

/// The data that MPI_Pack and MPI_Unpack copy.
class Packing {
public:
  /// Returns the data of a call: `count` elements at `base`, and their packed bytes from byte `position` of
  /// `buffer` on. `buffer` has `size` bytes. Native MPI checks the other arguments.
  static std::optional<Packing> of(const team::Member& member, const void* base, MPI_Count count,
                                   MPI_Datatype type, const void* buffer, MPI_Count size, MPI_Count position);

  std::size_t bytes() const noexcept { return data_.size(); }

  /// Packs or unpacks all bytes, by a job of the member's team.
  void pack(team::Member& member) const noexcept;
  void unpack(team::Member& member) const noexcept;

private:
  Packing(layout::PackedData data, std::byte* packed) noexcept : data_(std::move(data)), packed_(packed) {}

  layout::PackedData data_;
  std::byte* packed_; // where the packed bytes begin
};

/// Does what MPI_Reduce_local does. Returns its code.
std::optional<int> reduce(team::Member& member, const void* in, void* inout, MPI_Count count,
                          MPI_Datatype type, MPI_Op op);

} // namespace helper::local
