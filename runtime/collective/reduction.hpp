// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "collective/dispatch.hpp"
#include "device/device.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/stream.hpp"
#include "ranks/arguments.hpp"
#include "reduction/reducer.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// An MPI operation that reduces and that the library carries.
struct Reduction {
  const char* operation; ///< for a stall report
  team::Member& member;
  reduction::Reducer reducer;
  const Shadow& shadow;
  bool is_plain; ///< unpacked elements equal packed ones, and the CPU may access them

  /// Returns nothing, at all ranks, if native MPI must reduce: if Reducer::of or Shadow::of returns nothing,
  /// or there is a single rank. Collective over `comm` like Shadow::of; throws MpiError.
  static std::optional<Reduction> of(const char* operation, team::Member& member, MPI_Datatype type,
                                     MPI_Op op, MPI_Comm comm) {
    const std::optional<reduction::Reducer> reducer = reduction::Reducer::of(op, type);
    if (!reducer) return member.decline(reason::kernel);
    if (comm == MPI_COMM_NULL) return member.decline(reason::arguments);
    const Shadow* const shadow = Shadow::of(comm, member);
    if (shadow == nullptr) return member.decline(reason::shadow);
    if (shadow->size() == 1) return member.decline(reason::one_rank);
    return Reduction{operation, member, *reducer, *shadow, reducer->is_plain() && !device::is_possible()};
  }

  /// Dispatches the operation on `elements` elements, like collective::dispatch. `owners` ranks reduce a
  /// share each, of up to `share` elements. If `owners` is 0, all ranks reduce, and their shares are even.
  template <std::uint32_t operations, class Run>
  std::optional<int> dispatch(Operation which, std::size_t elements, const Run& run, std::size_t owners = 0,
                              std::size_t share = 0) const {
    Situation found = situation(shadow, elements * reducer.element());
    found.across_nodes = across_nodes();
    found.commutes = reducer.commutes();
    found.element = reducer.element();
    found.owners = owners;
    found.share = share;
    return collective::dispatch<operations>(member, which, std::move(found), run);
  }

  /// Returns whether the ranks of each node may first combine their contributions.
  bool across_nodes() const {
    const ranks::Nodes& nodes = shadow.nodes();
    return nodes.count() > 1 && nodes.most() > 1 && (reducer.commutes() || nodes.in_order());
  }

  /// Returns a stream of elements of a user's buffer; see Stream.
  Stream stream(void* base, MPI_Count count, MPI_Datatype type, bool readable) const {
    return is_plain ? Stream(base, static_cast<std::size_t>(count) * reducer.element())
                    : Stream(base, count, type, shadow, readable);
  }

  std::size_t rank() const { return static_cast<std::size_t>(shadow.rank()); }
  std::size_t ranks() const { return static_cast<std::size_t>(shadow.size()); }
  std::size_t elements(const Stream& stream) const { return stream.size() / reducer.element(); }
};

/// Returns the address of the contribution, at ranks that may pass MPI_IN_PLACE.
inline const void* source(const void* send, const void* receive) {
  return send == MPI_IN_PLACE ? receive : send;
}

/// Return whether native MPI accepts the buffer of a rank's contribution, and of its result.
inline bool valid_contribution(const void* source, MPI_Count count, MPI_Datatype type) {
  return source != MPI_IN_PLACE && ranks::valid_data(source, count, type);
}
inline bool valid_result(const void* send, const void* receive, MPI_Count count, MPI_Datatype type) {
  return send != receive && receive != MPI_IN_PLACE && ranks::valid_data(receive, count, type);
}

} // namespace helper::collective
