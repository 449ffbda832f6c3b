// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/work_list.hpp"

#include <algorithm>

namespace helper::team {

namespace {

constexpr std::uint32_t most_chunks = 0xffff;

constexpr std::uint32_t first_of(std::uint64_t claims) {
  return (claims >> 16) & 0xffff;
}
constexpr std::uint32_t end_of(std::uint64_t claims) {
  return claims & 0xffff;
}
constexpr std::uint64_t with_first_claimed(std::uint64_t claims) {
  return claims + (1u << 16);
}
constexpr std::uint64_t with_last_claimed(std::uint64_t claims) {
  return claims - 1;
}
constexpr std::uint64_t next_epoch(std::uint64_t claims, std::uint32_t chunks) {
  return (((claims >> 32) + 1) << 32) | chunks;
}

} // namespace

WorkList::Ticket WorkList::publish(const Job& job, const char* operation) noexcept {
  const int index = std::countr_one(taken_);
  if (index == slots || job.size == 0) return none;
  Slot& slot = slots_[static_cast<std::size_t>(index)];

  slot.job = job;
  slot.operation = operation;
  slot.job.grain = std::max(job.grain, (job.size - 1) / most_chunks + 1);
  slot.chunks = static_cast<std::uint32_t>((job.size - 1) / slot.job.grain + 1);
  slot.done.store(0, std::memory_order_relaxed); // ordered by the release of claims
  taken_ |= 1u << index;
  open_.fetch_or(1u << index, std::memory_order_seq_cst);
  // The store is release and pairs with the acquire of a claim: a thread that claims sees the job.
  slot.claims.store(next_epoch(slot.claims.load(std::memory_order_relaxed), slot.chunks),
                    std::memory_order_release);
  return index;
}

bool WorkList::retire(Ticket ticket) noexcept {
  if (ticket == none) return true;
  Slot& slot = slots_[static_cast<std::size_t>(ticket)];
  // The acquire pairs with the release of each finished chunk: the owner sees what the chunks wrote.
  if (slot.done.load(std::memory_order_acquire) != slot.chunks) return false;
  taken_ &= ~(1u << ticket);
  return true;
}

bool WorkList::work(trace::Track* track) noexcept {
  return claim_and_run(Claimant::owner, track);
}

bool WorkList::work(Ticket ticket, trace::Track* track) noexcept {
  return ticket != none && claim_and_run(ticket, Claimant::owner, track);
}

bool WorkList::help(trace::Track* track) noexcept {
  return claim_and_run(Claimant::other, track);
}

bool WorkList::claim_and_run(Claimant claimant, trace::Track* track) noexcept {
  for (std::uint32_t open = open_.load(std::memory_order_seq_cst); open != 0; open &= open - 1) {
    if (claim_and_run(std::countr_zero(open), claimant, track)) return true;
  }
  return false;
}

bool WorkList::claim_and_run(int index, Claimant claimant, trace::Track* track) noexcept {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  std::uint64_t claims = slot.claims.load(std::memory_order_relaxed);
  std::uint64_t rest;
  do {
    if (first_of(claims) == end_of(claims)) return false;
    rest = claimant == Claimant::owner ? with_first_claimed(claims) : with_last_claimed(claims);
    // The acquire pairs with the release in publish, whose release sequence later claims continue.
  } while (
      !slot.claims.compare_exchange_weak(claims, rest, std::memory_order_acquire, std::memory_order_relaxed));
  const std::uint32_t chunk = claimant == Claimant::owner ? first_of(claims) : end_of(rest);
  if (first_of(rest) == end_of(rest)) open_.fetch_and(~(1u << index), std::memory_order_seq_cst);

  const Job& job = slot.job;
  const std::size_t begin = chunk * job.grain;
  const std::size_t end = std::min(begin + job.grain, job.size);
  {
    const trace::Chunk recorded(track, job.stage, slot.operation, owner_, end - begin);
    job.run(job.context, begin, end);
  }
  // The addition is release and pairs with the acquire in retire. It is the last access to the slot: the
  // owner may now refill it.
  slot.done.fetch_add(1, std::memory_order_release);
  return true;
}

} // namespace helper::team
