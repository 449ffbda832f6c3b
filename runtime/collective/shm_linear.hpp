// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

#include "collective/reduction.hpp"
#include "pipeline/store_choice.hpp"
#include "pipeline/stream.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// Writes what a rank shows, whole or part by part, by the stores that are the faster ones as far as is
/// known.
class Writer {
public:
  /// Of so many bytes each, of dense streams or others.
  Writer(std::size_t bytes, bool is_dense) noexcept;

  /// Whether to a Room, where plain stores take less time. What they take in the same place as always is what
  /// is learned, since that tells how far the readers are; in a room it would be them who pay for that.
  bool in_room() const noexcept { return turn_.way == pipeline::Stores::plain && !turn_.timed; }

  void pack(const pipeline::Stream& from, std::byte* slot) const noexcept;

private:
  pipeline::StoreChoice* choice_ = nullptr; // of little data there is none
  pipeline::StoreChoice::Turn turn_{pipeline::Stores::plain, false, false, false};
};

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to.
/// Nothing is stored of no ranks, nor looked at.
void reduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to,
                       int ranks);

/// The same of all ranks, at all ranks: of the elements from `first` on, as many as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from,
                          const pipeline::Stream& to, std::size_t first = 0);

void bcast_shm_linear(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                      int root);

void barrier_shm_linear(team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
