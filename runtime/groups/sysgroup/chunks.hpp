// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/device.hpp"
#include "groups/sysgroup/channel.hpp"
#include "pipeline/stream.hpp"
#include "reduction/reducer.hpp"

/// Helpers of the group operations that move data chunk by chunk.
namespace helper::groups::sysgroup {

/// Most bytes of data that go in one message along each edge.
inline constexpr std::size_t few = std::size_t{8} * 1024;
/// So many chunks are under way at once that packing, the wire and unpacking are busy at the same time.
inline constexpr std::size_t most_in_flight = 4;
/// Chunks of equal tag are in one lane, one after the other, whatever the number of lanes.
inline constexpr std::size_t chunks_told_apart = 12;
static_assert(most_in_flight <= 4 && chunks_told_apart % 12 == 0);

/// A message of an operation has a kind, by which those of one chunk are told apart.
enum class SweepMessage : std::uint8_t { data, note, acknowledgement, kinds };
static_assert(chunks_told_apart * static_cast<std::size_t>(SweepMessage::kinds) ==
              GroupChannel::PortTags::of_operations);

/// Returns the tag of a message about chunk `index` to the process whose port begins with that tag.
inline int tag(int port, std::size_t index, SweepMessage kind) {
  constexpr auto kinds = static_cast<std::size_t>(SweepMessage::kinds);
  return port + static_cast<int>(index % chunks_told_apart * kinds + static_cast<std::size_t>(kind));
}

/// Returns the bytes of a chunk, which are the same at all members.
inline std::size_t chunk_size(std::size_t bytes, std::size_t element, std::size_t largest) {
  // A chunk is small enough for several to be under way, and large enough to be worth its notes.
  constexpr std::size_t smallest = std::size_t{32} * 1024;
  constexpr std::size_t wanted_chunks = 8;
  if (bytes <= few) return bytes;
  const std::size_t wanted = std::clamp(bytes / wanted_chunks, std::min(smallest, largest), largest);
  const std::size_t unit = std::max<std::size_t>(element, 1);
  return std::max(wanted / unit, std::size_t{1}) * unit;
}

/// Returns a view of the elements of an operation, whose contents are loaded if `readable`. Throws MpiError.
inline pipeline::Stream stream_of(const void* base, MPI_Count count, MPI_Datatype type,
                                  const std::optional<reduction::Reducer>& reducer,
                                  const transport::Shadow& shadow, bool readable) {
  void* const at = const_cast<void*>(base);
  if (reducer && reducer->is_plain() && !device::is_possible())
    return {at, static_cast<std::size_t>(count) * reducer->element()};
  return {at, count, type, shadow, readable};
}

} // namespace helper::groups::sysgroup
