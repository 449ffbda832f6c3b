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

/// Data of at most `few` bytes are sent in one message along each edge.
inline constexpr std::size_t few = std::size_t{8} * 1024;
/// The number of chunks in flight. With several, packing, transfer and unpacking overlap.
inline constexpr std::size_t most_in_flight = 4;
/// A multiple of every possible number of lanes: so chunks with the same tag use the same lane, in order.
inline constexpr std::size_t chunks_told_apart = 12;
static_assert(most_in_flight <= 4 && chunks_told_apart % 12 == 0);

/// The kind of a message. It distinguishes the messages about one chunk.
enum class SweepMessage : std::uint8_t { data, note, acknowledgement, kinds };
static_assert(chunks_told_apart * static_cast<std::size_t>(SweepMessage::kinds) ==
              GroupChannel::tags_of_operations);

/// Returns the tag of a message about chunk `index` to the process whose port begins with `port`.
inline int tag(int port, std::size_t index, SweepMessage kind) {
  constexpr auto kinds = static_cast<std::size_t>(SweepMessage::kinds);
  return port + static_cast<int>(index % chunks_told_apart * kinds + static_cast<std::size_t>(kind));
}

/// Returns the size of a chunk of `bytes` bytes of data, whose elements have `element` bytes. It is at most
/// `largest`, unless one element is larger, and equal at all members.
inline std::size_t chunk_size(std::size_t bytes, std::size_t element, std::size_t largest) {
  // Chunks are small enough that several are in flight, and large enough that their notes cost little.
  constexpr std::size_t smallest = std::size_t{32} * 1024;
  constexpr std::size_t wanted_chunks = 8;
  if (bytes <= few) return bytes;
  const std::size_t wanted = std::clamp(bytes / wanted_chunks, std::min(smallest, largest), largest);
  const std::size_t unit = std::max<std::size_t>(element, 1);
  return std::max(wanted / unit, std::size_t{1}) * unit;
}

/// Returns a view of the elements of an operation; loads their contents if `readable`. Throws MpiError.
inline pipeline::Stream stream_of(const void* base, MPI_Count count, MPI_Datatype type,
                                  const std::optional<reduction::Reducer>& reducer,
                                  const transport::Shadow& shadow, bool readable) {
  void* const at = const_cast<void*>(base);
  if (reducer && reducer->is_plain() && !device::is_possible())
    return {at, static_cast<std::size_t>(count) * reducer->element()};
  return {at, count, type, shadow, readable};
}

} // namespace helper::groups::sysgroup
