// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "collective/reduction.hpp"
#include "lifetime/thread_block.hpp"

namespace helper::collective {

/// A message to a rank, or from a rank. Empty if the peer is MPI_PROC_NULL.
struct Outgoing {
  const void* data = nullptr;
  int peer = MPI_PROC_NULL;
};
struct Incoming {
  void* data = nullptr;
  int peer = MPI_PROC_NULL;
};

/// Sends and receives at the same time, `bytes` bytes each. Blocks, lending the caller. A stall report calls
/// the operation `operation`. Throws MpiError and PeerGaveUp.
void transfer(const char* operation, team::Member& member, const Shadow& shadow, Outgoing out, Incoming in,
              std::size_t bytes, MessageKind message);

/// Holds what a rank has combined so far in a reduction of few bytes, beginning with its own contribution.
/// All functions that communicate block, lending the caller, and throw MpiError.
class Partial {
public:
  /// The contribution is all of `from`, at most short_most bytes. Neither it nor `reduction` may
  /// change as long as the object lives.
  Partial(const Reduction& reduction, const Stream& from);
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  int rank() const noexcept { return reduction_.shadow.rank(); }
  int ranks() const noexcept { return reduction_.shadow.size(); }

  /// Returns what has been combined so far, packed.
  const std::byte* data() const noexcept { return value_; }

  // Each rank that the functions below name may be MPI_PROC_NULL, for none.

  /// Sends what has been combined to one rank, and takes what another one sent in its place.
  void shift(int to, int from);
  /// Sends what has been combined to one rank, and then combines it with what another one sent, which comes
  /// from lower ranks if `lower`, and otherwise from higher ones.
  void combine(int to, int from, bool lower);

private:
  void exchange(int to, int from);

  const Reduction& reduction_;
  const std::size_t bytes_;
  lifetime::ThreadBlock<short_most> own_;
  lifetime::ThreadBlock<short_most> received_;
  const std::byte* value_; // in the user's buffer, or in own_
};

// The functions below reduce few bytes among the ranks of a communicator. All combine what lower ranks have
// contributed with what higher ones have, so they suit operations that do not commute.

/// Gives all ranks the result, with the same bits, in ceil(log2(ranks)) exchanges (recursive doubling), plus
/// two messages where the ranks are no power of two.
void reduce_to_all(Partial& partial);

/// Gives `root` the result, the same for every root, in ceil(log2(ranks)) messages one after the other.
void reduce_to_root(Partial& partial, int root);

/// Gives every rank from `first` on the result of the ranks from there up to itself, in ceil(log2(ranks))
/// exchanges. The other ranks take no part.
void reduce_prefixes(Partial& partial, int first);

} // namespace helper::collective
