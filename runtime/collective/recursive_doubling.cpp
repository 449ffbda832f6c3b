// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/recursive_doubling.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "collective/selection.hpp"
#include "collective/transfer.hpp"

namespace helper::collective {

using transport::Shadow;

void recursive_doubling(team::Member& member, const Shadow& shadow, const reduction::Kernel& kernel,
                        const void* source, void* result, std::size_t count) {
  alignas(64) std::array<std::byte, recursive_doubling_most> received;
  const std::size_t bytes = count * kernel.element_size;
  const auto exchange = [&](const void* out, void* in, int peer, Message message) {
    transfer("MPI_Allreduce", member, shadow, out, in, bytes, peer, message);
  };
  const void* partial = source;
  const auto combine_with = [&](bool received_is_lower) {
    const void* const lower = received_is_lower ? received.data() : partial;
    const void* const upper = received_is_lower ? partial : received.data();
    kernel.combine(lower, upper, result, count);
    partial = result;
  };

  // The first 2 * folded ranks pair up, so that a power of two of them takes part; the order of ranks is
  // kept.
  const int rank = shadow.rank();
  const int participants = static_cast<int>(std::bit_floor(static_cast<unsigned>(shadow.size())));
  const int folded = shadow.size() - participants;
  const bool in_pair = rank < 2 * folded;
  if (in_pair && rank % 2 == 0) {
    exchange(partial, nullptr, rank + 1, Message::fold);
    exchange(nullptr, result, rank + 1, Message::unfold);
    return;
  }
  if (in_pair) {
    exchange(nullptr, received.data(), rank - 1, Message::fold);
    combine_with(true);
  }

  const int position = in_pair ? rank / 2 : rank - folded;
  for (int distance = 1; distance < participants; distance *= 2) {
    const int other = position ^ distance;
    const int peer = other < folded ? 2 * other + 1 : other + folded;
    exchange(partial, received.data(), peer, Message::doubling);
    combine_with(other < position);
  }
  if (partial != result) std::memcpy(result, partial, bytes); // a single rank
  if (in_pair) exchange(result, nullptr, rank - 1, Message::unfold);
}

} // namespace helper::collective
