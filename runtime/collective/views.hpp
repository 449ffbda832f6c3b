// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pipeline/stream.hpp"
#include "transport/region.hpp"

namespace helper::collective {

/// Where a rank's data are, as it tells the others; in no region if they are elsewhere, or not dense.
using Place = transport::Region::Part;

inline Place place(const pipeline::Stream& stream) {
  const auto part = stream.is_dense() ? transport::Region::find(stream.dense(), stream.size()) : std::nullopt;
  return part.value_or(Place{});
}

inline bool is_in_region(const Place& place) {
  return place.region.bytes != 0;
}

/// Data of other ranks, as this one reads them in place as long as the object lives.
class Views {
public:
  /// The address of `bytes` bytes at the place; nullptr if it cannot be reached.
  const std::byte* look(const Place& place, std::size_t bytes) {
    const auto& mapping = mappings_.emplace_back(transport::Mapping::of(place.region));
    if (mapping == nullptr || place.offset > mapping->bytes() || bytes > mapping->bytes() - place.offset)
      return nullptr;
    return mapping->address() + place.offset;
  }

private:
  std::vector<std::shared_ptr<const transport::Mapping>> mappings_;
};

} // namespace helper::collective
