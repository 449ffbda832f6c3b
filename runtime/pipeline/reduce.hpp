// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "pipeline/lane.hpp"
#include "reduction/reducer.hpp"
#include "trace/track.hpp"

namespace helper::pipeline {

/// The number of elements that are worth a helper's attention.
inline std::size_t grain_of(const reduction::Reducer& reducer) {
  return std::max<std::size_t>(grain / reducer.element(), 1);
}

/// Starts combining packed elements of the ranks into `out`, in `lane`: for the team where helpers may,
/// otherwise on the spot. `operands` must live until the lane has settled. Throws MpiError.
inline void start_reducing(const reduction::Reducer& reducer, Lane& lane,
                           std::span<const std::byte* const> operands, std::size_t elements, std::byte* out) {
  if (reducer.helpers_may()) {
    lane.offer(trace::Stage::reduce, elements, grain_of(reducer),
               [&reducer, operands, out](std::size_t begin, std::size_t end) noexcept {
                 reducer.reduce(operands, begin, end, out);
               });
  } else {
    const trace::Chunk recorded = lane.member().own_chunk(trace::Stage::reduce, elements);
    reducer.reduce(operands, 0, elements, out);
  }
}

} // namespace helper::pipeline
