// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The members of a team share the work of MPI_Pack, MPI_Unpack and MPI_Reduce_local.

#include "local/local.hpp"
#include "interpose/entry.hpp"

using namespace helper;
using namespace helper::interpose;
using local::Packing;

namespace {

/// Lets the team do `work`, if `judge()`, a native call with no elements, shows that the arguments are valid.
template <class Position, class Judge>
std::optional<int> carry(team::Member& member, const std::optional<Packing>& packing,
                         void (Packing::*work)(team::Member&) const noexcept, Position* position,
                         const Judge& judge) {
  if (!packing) return std::nullopt;
  if (const int code = judge(); code != MPI_SUCCESS) return code;
  ((*packing).*work)(member);
  *position += static_cast<Position>(packing->bytes());
  return MPI_SUCCESS;
}

/// Returns the start position of a call. For a null pointer, returns -1, so that native MPI gets the call.
template <class Position>
MPI_Count value_of(const Position* position) noexcept {
  return position == nullptr ? -1 : static_cast<MPI_Count>(*position);
}

template <auto Native>
constexpr auto pack = [](team::Member& member, const void* in, auto count, MPI_Datatype type, void* out,
                         auto size, auto* position, MPI_Comm comm) {
  const auto packing = Packing::of(member, in, count, type, out, size, value_of(position));
  return carry(member, packing, &Packing::pack, position,
               [&] { return Native(in, 0, type, out, size, position, comm); });
};

template <auto Native>
constexpr auto unpack = [](team::Member& member, const void* in, auto size, auto* position, void* out,
                           auto count, MPI_Datatype type, MPI_Comm comm) {
  const auto packing = Packing::of(member, out, count, type, in, size, value_of(position));
  return carry(member, packing, &Packing::unpack, position,
               [&] { return Native(in, size, position, out, 0, type, comm); });
};

} // namespace

#include "interpose/local.inc"
