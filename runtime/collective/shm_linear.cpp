// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "collective/shared_operation.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

using pipeline::Stores;

namespace {

/// Returns whether the two streams overlap in memory, or may overlap.
bool overlap(const Stream& one, const Stream& other) {
  const auto begin = [](const Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.dense()); };
  return !one.is_dense() || !other.is_dense() ||
         (begin(one) < begin(other) + other.size() && begin(other) < begin(one) + one.size());
}

/// Combines the contributions of the first `ranks` ranks, in order, from byte `begin` on, and stores as much
/// as fits into `to`. Reads this rank's contribution in the user's buffer if possible, which is faster.
void combine(const Reduction& reduction, SharedOperation& shm, const Stream& from, int ranks,
             std::size_t begin, const Stream& to) {
  const int self = reduction.shadow.rank();
  const std::byte* const own = overlap(from, to) ? nullptr : from.dense();
  const auto contribution = [&](int rank) {
    return (rank == self && own != nullptr ? own : shm.see(rank, from.size())) + begin;
  };
  std::optional<lifetime::ThreadBlock<shm::ControlBlock::payload_bytes>> packed;
  if (!to.is_dense()) packed.emplace();
  std::byte* const out = packed ? packed->data() : to.dense();
  const std::byte* lower = contribution(0);
  if (ranks == 1) std::memcpy(out, lower, to.size());
  for (int rank = 1; rank < ranks; ++rank) {
    const std::array operands{lower, contribution(rank)};
    reduction.reducer.reduce(operands, 0, to.size() / reduction.reducer.element(), out);
    lower = out;
  }
  if (packed) to.unpack(0, to.size(), out);
}

void show(SharedOperation& shm, const Stream& from) {
  shm.contribute(from.size(),
                 [&](std::byte* slot, Stores stores) { pipeline::pack(from, 0, from.size(), slot, stores); });
}

} // namespace

void reduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream* to, int ranks) {
  SharedOperation shm(reduction.operation, reduction.member, reduction.shadow);
  show(shm, from);
  shm.tell_others();
  if (ranks != 0) combine(reduction, shm, from, ranks, 0, *to);
  shm.end_of_contributions();
}

void allreduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream& to,
                          std::size_t first) {
  SharedOperation shm(reduction.operation, reduction.member, reduction.shadow);
  show(shm, from);
  shm.see_all();
  combine(reduction, shm, from, reduction.shadow.size(), first * reduction.reducer.element(), to);
  shm.end_of_contributions();
}

void bcast_shm_linear(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  SharedOperation shm("MPI_Bcast", member, shadow);
  if (shadow.rank() == root) {
    show(shm, stream);
    shm.tell_others();
  } else {
    stream.unpack(0, stream.size(), shm.see(root, stream.size()));
  }
  shm.end_of_contributions();
}

void barrier_shm_linear(team::Member& member, const Shadow& shadow) {
  SharedOperation shm("MPI_Barrier", member, shadow);
  shm.contribute(0, [](std::byte*, Stores) {});
  shm.see_all();
  shm.end_of_contributions();
}

} // namespace helper::collective
