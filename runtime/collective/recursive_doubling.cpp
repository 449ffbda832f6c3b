// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/recursive_doubling.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "collective/selection.hpp"
#include "pipeline/lane.hpp"
#include "transport/mpi_error.hpp"

namespace helper::collective {

namespace {

using transport::Shadow;

/// Sends `out` to `peer` and receives `in` from it, `bytes` each, either of which may be null. Blocks,
/// lending the caller.
void transfer(team::Member& member, const Shadow& shadow, const void* out, void* in, std::size_t bytes,
              int peer, Message message) {
  const auto check = [&](int code) {
    if (code != MPI_SUCCESS) throw transport::MpiError(shadow.user(), code);
  };
  const int size = static_cast<int>(bytes);
  const int label = tag(message, 0);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (in != nullptr) check(PMPI_Irecv(in, size, MPI_BYTE, peer, label, shadow.comm(), &requests[0]));
  if (out != nullptr) check(PMPI_Isend(out, size, MPI_BYTE, peer, label, shadow.comm(), &requests[1]));
  member.lend_until(
      [&] {
        int done = 0;
        check(PMPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE));
        return done != 0;
      },
      [&] { return pipeline::describe("MPI_Allreduce", shadow); });
}

} // namespace

void recursive_doubling(team::Member& member, const Shadow& shadow, const reduction::Kernel& kernel,
                        const void* source, void* result, std::size_t count) {
  alignas(64) std::array<std::byte, recursive_doubling_most> received;
  const std::size_t bytes = count * kernel.element_size;
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
    transfer(member, shadow, partial, nullptr, bytes, rank + 1, Message::fold);
    transfer(member, shadow, nullptr, result, bytes, rank + 1, Message::unfold);
    return;
  }
  if (in_pair) {
    transfer(member, shadow, nullptr, received.data(), bytes, rank - 1, Message::fold);
    combine_with(true);
  }

  const int position = in_pair ? rank / 2 : rank - folded;
  for (int distance = 1; distance < participants; distance *= 2) {
    const int other = position ^ distance;
    const int peer = other < folded ? 2 * other + 1 : other + folded;
    transfer(member, shadow, partial, received.data(), bytes, peer, Message::doubling);
    combine_with(other < position);
  }
  if (partial != result) std::memcpy(result, partial, bytes); // a single rank
  if (in_pair) transfer(member, shadow, result, nullptr, bytes, rank - 1, Message::unfold);
}

} // namespace helper::collective
