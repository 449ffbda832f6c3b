// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "collective/moves.hpp"
#include "collective/peer_copy.hpp"
#include "collective/shared_operation.hpp"
#include "layout/layout.hpp"
#include "pipeline/lane.hpp"
#include "shm/peer_memory.hpp"

namespace helper::collective {

namespace {

namespace peer_memory = shm::peer_memory;

// This flag shows a rank's table. Its note is the rank's process, or 0 if the rank copies nothing.
constexpr std::size_t ends_mark = 0;
// This flag shows that a rank has finished copying. Its note is true if the system has refused it a copy.
constexpr std::size_t copied_mark = 1;

/// An entry of a rank's table for one peer: the data for the peer, and the buffer for the peer's data. They
/// are contiguous; null if nothing is to be copied.
struct TransferEnds {
  std::span<std::byte> out;
  std::span<std::byte> in;
};
static_assert(shm::CommControl::most_ranks * sizeof(TransferEnds) <= SharedOperation::payload_bytes);

/// Returns whether a transfer between these buffers is copied. Otherwise MPI does it, and reports errors.
bool match(std::span<const std::byte> here, std::span<const std::byte> there) noexcept {
  return here.data() != nullptr && there.data() != nullptr && here.size() == there.size();
}

std::span<std::byte> end(const Part& part) {
  const auto layout = part.bytes <= short_most ? nullptr : layout::Layout::of(part.type, part.address());
  if (layout == nullptr || !layout->contiguous()) return {};
  return {static_cast<std::byte*>(part.address()) + layout->first_byte(), part.bytes};
}

/// Returns how many bytes of a transfer the sender copies, from byte 0 on; the receiver copies the rest.
/// Writing to another process is faster, so the sender copies all. A root is busy, so its peers copy most.
std::size_t sent(Operation operation, std::size_t bytes, std::size_t ranks) {
  switch (operation) {
  case Operation::scatter:
  case Operation::scatterv:
    return bytes / ranks;
  case Operation::gather:
  case Operation::gatherv:
    return bytes - bytes / (2 * ranks);
  default:
    return bytes;
  }
}

class Copies {
public:
  Copies(Moves& moves, team::Member& member, const Shadow& shadow)
      : moves_(moves), member_(member), self_(static_cast<std::size_t>(shadow.rank())),
        shared_(moves.name, member, shadow), out_is_copied_(moves.out.size()),
        in_is_copied_(moves.out.size()) {}

  void run() {
    std::vector<std::size_t> peers; // first the next rank, so that not all ranks start with the same peer
    const std::size_t ranks = moves_.out.size();
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t peer = (self_ + step) % ranks;
      if (std::max(moves_.out[peer].bytes, moves_.in[peer].bytes) > short_most) peers.push_back(peer);
    }
    tell(peers);
    for (const std::size_t peer : peers) copy_with(peer);
    shared_.note<bool>(copied_mark) = is_refused_;
    shared_.show(copied_mark, 1);
    for (const std::size_t peer : peers) settle_with(peer);
    shared_.finish({}); // no peer copies any more
  }

private:
  void tell(const std::vector<std::size_t>& peers) {
    const bool copies = !peers.empty() && !peer_memory::is_refused();
    shared_.note<pid_t>(ends_mark) = copies ? getpid() : 0;
    TransferEnds* const ends = copies ? shared_.payload<TransferEnds>() : nullptr;
    for (std::size_t rank = 0; ends != nullptr && rank < moves_.out.size(); ++rank)
      ends[rank] =
          moves_.in_place ? TransferEnds{} : TransferEnds{end(moves_.out[rank]), end(moves_.in[rank])};
    shared_.show(ends_mark, 1);
  }

  void copy_with(std::size_t peer) {
    shared_.await(peer, ends_mark, 1);
    const pid_t process = shared_.note<pid_t>(peer, ends_mark);
    if (process == 0 || shared_.note<pid_t>(ends_mark) == 0) return;
    const TransferEnds& here = shared_.payload<TransferEnds>(self_)[peer];
    const TransferEnds& there = shared_.payload<TransferEnds>(peer)[self_];
    const std::size_t ranks = moves_.out.size();
    if (match(here.out, there.in)) {
      const auto write = [&](std::size_t begin, std::size_t end) noexcept {
        return peer_memory::write(process, here.out.data() + begin, there.in.data() + begin, end - begin);
      };
      if (!run_copying(sent(moves_.operation, here.out.size(), ranks), member_, write)) is_refused_ = true;
      out_is_copied_[peer] = 1;
    }
    if (match(here.in, there.out)) {
      const std::size_t first = sent(moves_.operation, here.in.size(), ranks);
      const auto read = [&](std::size_t begin, std::size_t end) noexcept {
        return peer_memory::read(process, there.out.data() + first + begin, here.in.data() + first + begin,
                                 end - begin);
      };
      if (!run_copying(here.in.size() - first, member_, read)) is_refused_ = true;
      in_is_copied_[peer] = 1;
    }
  }

  /// Drops the moves that were copied with `peer`, unless the system refused this rank or `peer` a copy.
  void settle_with(std::size_t peer) {
    shared_.await(peer, copied_mark, 1);
    if (is_refused_ || shared_.note<bool>(peer, copied_mark)) return;
    if (out_is_copied_[peer] != 0) moves_.out[peer] = {};
    if (in_is_copied_[peer] != 0) moves_.in[peer] = {};
  }

  Moves& moves_;
  team::Member& member_;
  const std::size_t self_;
  SharedOperation shared_;
  std::vector<char> out_is_copied_, in_is_copied_; // by rank
  bool is_refused_ = false;                        // a copy, by the system
};

} // namespace

void copy_between(Moves& moves, team::Member& member, const Shadow& shadow) {
  Copies(moves, member, shadow).run();
}

} // namespace helper::collective
