// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/work_list.hpp"

#include <algorithm>

namespace helper::team {

namespace {

/// Bits are numbered through an array of 64-bit words. Returns the mask of [begin, end) in element `word`.
constexpr std::uint64_t bits(std::uint32_t word, std::uint32_t begin, std::uint32_t end) {
  const auto up_to = [&](std::uint32_t bit) { // the bits before `bit`
    if (bit <= word * 64) return std::uint64_t{0};
    return bit >= (word + 1) * 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bit % 64)) - 1;
  };
  return up_to(end) & ~up_to(begin);
}
static_assert(bits(0, 3, 5) == 0b11000 && bits(1, 3, 66) == 0b11 && bits(2, 3, 66) == 0);
static_assert(bits(1, 64, 128) == ~std::uint64_t{0});

/// Claims the chunk in `wanted` that `pick(unclaimed)` chooses. Returns its bit; -1 if none is unclaimed.
template <class Pick>
int claim_one_of(std::atomic<std::uint64_t>& word, std::uint64_t wanted, const Pick& pick) noexcept {
  std::uint64_t unclaimed = word.load(std::memory_order_relaxed) & wanted;
  while (unclaimed != 0) {
    const int bit = pick(unclaimed);
    const std::uint64_t chunk = std::uint64_t{1} << bit;
    // The acquire pairs with the release in publish; earlier claims continue its release sequence. Only the
    // one bit of the old value is used, so that x86 can use a single instruction.
    if ((word.fetch_and(~chunk, std::memory_order_acquire) & chunk) != 0) return bit;
    unclaimed = word.load(std::memory_order_relaxed) & wanted;
  }
  return -1;
}

} // namespace

WorkList::Ticket WorkList::publish(const Job& job, const char* operation, int at_work) noexcept {
  const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  const int index = std::countr_one(taken);
  if (index == slots || job.size == 0) return none;
  JobSlot& slot = slots_[static_cast<std::size_t>(index)];

  const std::size_t grain = std::max(job.grain, std::size_t{1});
  slot.job = job;
  slot.job.grain = grain * ((job.size - 1) / grain / most_chunks + 1);
  slot.operation = operation;
  slot.state = ThreadState::own();
  slot.raised.store(0, std::memory_order_relaxed);
  const auto chunks = static_cast<std::uint32_t>((job.size - 1) / slot.job.grain + 1);
  slot.chunks.store(chunks, std::memory_order_relaxed);
  slot.parts.store(static_cast<std::uint32_t>(at_work), std::memory_order_relaxed);
  slot.done.store(0, std::memory_order_relaxed); // the release below orders it
  for (std::uint32_t word = 0; word * bits_of_word < chunks; ++word)
    slot.unclaimed[word].store(bits(word, 0, chunks), std::memory_order_release);
  taken_.store(taken | 1u << index, std::memory_order_seq_cst);
  return index;
}

bool WorkList::has_run(Ticket ticket) const noexcept {
  if (ticket == none) return true;
  const JobSlot& slot = slots_[static_cast<std::size_t>(ticket)];
  // The acquire pairs with the release of each finished chunk: the owner sees what the chunks wrote.
  return slot.done.load(std::memory_order_acquire) == slot.chunks.load(std::memory_order_relaxed);
}

bool WorkList::retire(Ticket ticket) noexcept {
  if (!has_run(ticket)) return false;
  if (ticket == none) return true;
  // Release, so that a thread that reads this value of taken_ also sees what was published before.
  taken_.store(taken_.load(std::memory_order_relaxed) & ~(1u << ticket), std::memory_order_release);
  // Last, since the handler of a SIGFPE may not return.
  raise_exceptions(slots_[static_cast<std::size_t>(ticket)].raised.load(std::memory_order_relaxed));
  return true;
}

bool WorkList::work(Ticket ticket, trace::Track* track) noexcept {
  return ticket != none && claim_and_run(ticket, owner_, track);
}

bool WorkList::help(int member, trace::Track* track) noexcept {
  for (std::uint32_t taken = taken_.load(std::memory_order_seq_cst); taken != 0; taken &= taken - 1)
    if (claim_and_run(std::countr_zero(taken), member, track)) return true;
  return false;
}

std::uint32_t WorkList::claim_first(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept {
  for (std::uint32_t word = begin / bits_of_word; word * bits_of_word < end; ++word) {
    const int bit = claim_one_of(slot.unclaimed[word], bits(word, begin, end),
                                 [](std::uint64_t unclaimed) { return std::countr_zero(unclaimed); });
    if (bit >= 0) return word * bits_of_word + static_cast<std::uint32_t>(bit);
  }
  return no_chunk;
}

std::uint32_t WorkList::claim_last(JobSlot& slot, std::uint32_t begin, std::uint32_t end) noexcept {
  for (std::uint32_t word = (end + bits_of_word - 1) / bits_of_word; word-- > begin / bits_of_word;) {
    const int bit = claim_one_of(slot.unclaimed[word], bits(word, begin, end),
                                 [](std::uint64_t unclaimed) { return 63 - std::countl_zero(unclaimed); });
    if (bit >= 0) return word * bits_of_word + static_cast<std::uint32_t>(bit);
  }
  return no_chunk;
}

std::uint32_t WorkList::part_of(int member, std::uint32_t parts) const noexcept {
  const std::uint32_t of_owner = static_cast<std::uint32_t>(owner_) % parts;
  if (member == owner_) return of_owner;
  if (parts == 1) return parts;
  const std::uint32_t part = static_cast<std::uint32_t>(member) % parts;
  return part == of_owner ? (part + 1) % parts : part;
}

std::uint32_t WorkList::claim(JobSlot& slot, int member) const noexcept {
  const std::uint32_t chunks = slot.chunks.load(std::memory_order_relaxed);
  const std::uint32_t parts = slot.parts.load(std::memory_order_relaxed);
  const std::uint32_t part = part_of(member, parts);
  const auto begin_of = [&](std::uint32_t of) { return std::min((of * chunks + parts - 1) / parts, chunks); };
  const std::uint32_t begin = begin_of(part);
  const std::uint32_t end = begin_of(part + 1);
  std::uint32_t chunk = claim_first(slot, begin, end);
  if (chunk == no_chunk) chunk = claim_last(slot, end, chunks);
  if (chunk == no_chunk) chunk = claim_last(slot, 0, begin);
  return chunk;
}

/// Runs a chunk that the thread has claimed, in the state of the thread that published the job.
void WorkList::run(JobSlot& slot, std::uint32_t chunk, trace::Track* track) const noexcept {
  const Job& job = slot.job;
  const std::size_t begin = chunk * job.grain;
  const std::size_t end = begin + std::min(job.grain, job.size - begin);
  const trace::Chunk recorded(track, job.stage, slot.operation, owner_, end - begin);
  const InState in_state(slot.state);
  job.run(job.context, begin, end);
  const Exceptions raised = in_state.raised();
  // Usually other chunks have raised the same exceptions. Without a write, the line stays in all caches.
  if ((raised & ~slot.raised.load(std::memory_order_relaxed)) != 0)
    slot.raised.fetch_or(raised, std::memory_order_relaxed);
}

bool WorkList::claim_and_run(int index, int member, trace::Track* track) noexcept {
  JobSlot& slot = slots_[static_cast<std::size_t>(index)];
  const std::uint32_t chunk = claim(slot, member);
  if (chunk == no_chunk) return false;
  run(slot, chunk, track);
  // The addition is release and pairs with the acquire in has_run. It is the last access to the slot: the
  // owner may now refill it.
  slot.done.fetch_add(1, std::memory_order_release);
  return true;
}

} // namespace helper::team
