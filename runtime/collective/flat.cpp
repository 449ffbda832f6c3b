// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/flat.hpp"

#include <array>
#include <cstring>

namespace helper::collective {

using pipeline::Stream;
using transport::Shadow;

namespace {

/// Combines what the first `ranks` ranks show, in their order: `bytes` bytes from byte `begin` on, into
/// `out`.
void combine(const Reduction& reduction, Flat& flat, int ranks, std::size_t shown, std::size_t begin,
             std::size_t bytes, std::byte* out) {
  const std::byte* lower = flat.see(0, shown) + begin;
  if (ranks == 1) std::memcpy(out, lower, bytes);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::array operands{lower, flat.see(rank, shown) + begin};
    reduction.reducer.reduce(operands, 0, bytes / reduction.reducer.element(), out);
    lower = out;
  }
}

/// As combine(), as many bytes as fit into `to`.
void store(const Reduction& reduction, Flat& flat, int ranks, std::size_t shown, std::size_t begin,
           const Stream& to) {
  if (to.is_dense()) {
    combine(reduction, flat, ranks, shown, begin, to.size(), to.dense());
  } else {
    alignas(64) std::array<std::byte, transport::Frame::slot_bytes> result;
    combine(reduction, flat, ranks, shown, begin, to.size(), result.data());
    to.unpack(0, to.size(), result.data());
  }
}

void show(Flat& flat, const Stream& from) {
  flat.show(from.size(), [&](std::byte* slot) { from.pack(0, from.size(), slot); });
}

} // namespace

void flat_reduce(const Reduction& reduction, const Stream& from, const Stream* to, int ranks) {
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  show(flat, from);
  flat.tell_others();
  if (ranks != 0) store(reduction, flat, ranks, from.size(), 0, *to);
  flat.finish();
}

void flat_reduce_all(const Reduction& reduction, const Stream& from, const Stream& to, std::size_t first) {
  Flat flat(reduction.operation, reduction.member, reduction.shadow);
  show(flat, from);
  flat.see_all();
  store(reduction, flat, reduction.shadow.size(), from.size(), first * reduction.reducer.element(), to);
  flat.finish();
}

void flat_bcast(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  Flat flat("MPI_Bcast", member, shadow);
  if (shadow.rank() == root) {
    show(flat, stream);
    flat.tell_others();
  } else {
    stream.unpack(0, stream.size(), flat.see(root, stream.size()));
  }
  flat.finish();
}

void flat_barrier(team::Member& member, const Shadow& shadow) {
  Flat flat("MPI_Barrier", member, shadow);
  flat.show(0, [](std::byte*) {});
  flat.see_all();
  flat.finish();
}

} // namespace helper::collective
