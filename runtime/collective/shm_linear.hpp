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
  /// Each part is of `bytes` bytes; `is_dense` tells whether the streams are dense.
  Writer(std::size_t bytes, bool is_dense) noexcept;

  /// Tells whether to write to a Room, where plain stores take less time. The time that is learned is what
  /// they take in the same place as always, since that tells how far the readers are; in a room the readers
  /// would pay for that.
  bool in_room() const noexcept { return turn_.way == pipeline::Stores::plain && !turn_.timed; }

  void pack(const pipeline::Stream& from, std::byte* slot) const noexcept;

private:
  pipeline::StoreChoice* choice_ = nullptr; // of little data there is none
  pipeline::StoreChoice::Turn turn_{pipeline::Stores::plain, false, false, false};
};

/// Shows the contribution, all of `from`, and stores in `to` what those of the first `ranks` ranks come to.
/// If `ranks` is 0, nothing is stored or looked at.
void reduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from, const pipeline::Stream* to,
                       int ranks);

/// Shows the contribution, all of `from`, and stores in `to`, at all ranks, what those of all ranks come to:
/// as many of the elements from `first` on as fit into `to`.
void allreduce_shm_linear(const Reduction& reduction, const pipeline::Stream& from,
                          const pipeline::Stream& to, std::size_t first = 0);

void bcast_shm_linear(team::Member& member, const transport::Shadow& shadow, const pipeline::Stream& stream,
                      int root);

void barrier_shm_linear(team::Member& member, const transport::Shadow& shadow);

} // namespace helper::collective
