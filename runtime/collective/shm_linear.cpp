// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "collective/shared_operation.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/stores.hpp"

namespace helper::collective {

using pipeline::Stores;

namespace {

/// Returns whether both are, or may be, in the same memory.
bool overlap(const Stream& one, const Stream& other) {
  const auto begin = [](const Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.dense()); };
  return !one.is_dense() || !other.is_dense() ||
         (begin(one) < begin(other) + other.size() && begin(other) < begin(one) + one.size());
}

/// The contributions of the ranks, from the view of one of them. It reads its own contribution from the
/// user's buffer, if possible: reading it from its slot would be slower.
struct Contributions {
  Contributions(const Reduction& reduction, SharedOperation& shown, const Stream& from, const Stream& to)
      : shm(shown), self(reduction.shadow.rank()), own(overlap(from, to) ? nullptr : from.dense()),
        bytes(from.size()) {}

  const std::byte* operator()(int rank) const {
    return rank == self && own != nullptr ? own : shm.see(rank, bytes);
  }

  SharedOperation& shm;
  const int self;
  const std::byte* const own;
  const std::size_t bytes;
};

/// Combines the contributions of the first `ranks` ranks, in rank order: `bytes` bytes from byte `begin` on,
/// into `out`.
void combine(const Reduction& reduction, const Contributions& of, int ranks, std::size_t begin,
             std::size_t bytes, std::byte* out) {
  const std::byte* lower = of(0) + begin;
  if (ranks == 1) std::memcpy(out, lower, bytes);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::array operands{lower, of(rank) + begin};
    reduction.reducer.reduce(operands, 0, bytes / reduction.reducer.element(), out);
    lower = out;
  }
}

/// Does what combine() does, and stores as many bytes as fit into `to`.
void store(const Reduction& reduction, const Contributions& of, int ranks, std::size_t begin,
           const Stream& to) {
  if (to.is_dense()) {
    combine(reduction, of, ranks, begin, to.size(), to.dense());
  } else {
    lifetime::ThreadBlock<shm::Frame::board_bytes> result;
    combine(reduction, of, ranks, begin, to.size(), result.data());
    to.unpack(0, to.size(), result.data());
  }
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
  if (ranks != 0) store(reduction, {reduction, shm, from, *to}, ranks, 0, *to);
  shm.end_of_contributions();
}

void allreduce_shm_linear(const Reduction& reduction, const Stream& from, const Stream& to,
                          std::size_t first) {
  SharedOperation shm(reduction.operation, reduction.member, reduction.shadow);
  show(shm, from);
  shm.see_all();
  store(reduction, {reduction, shm, from, to}, reduction.shadow.size(), first * reduction.reducer.element(),
        to);
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
