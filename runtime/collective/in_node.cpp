// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/in_node.hpp"

#include <algorithm>

#include "collective/dispatch.hpp"
#include "collective/reduce_shm_cico.hpp"
#include "collective/reduce_shm_mapped.hpp"
#include "collective/shared_operation.hpp"
#include "collective/slots.hpp"
#include "pipeline/shared_staging.hpp"
#include "pipeline/store.hpp"

namespace helper::collective {

namespace {

/// Returns how many slots are wanted: one if results lie where later rounds, or earlier ones, have their
/// contributions.
std::size_t slots_wanted(const SlotRounds& cut, const Results& results) {
  const std::size_t in_flight =
      results.are_on_contributions() ? 1 : std::max<std::size_t>(shm_cico_most / cut.slot, 1);
  return std::min(in_flight, cut.rounds);
}

} // namespace

bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results) {
  const std::size_t bytes = from.size();
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  const pipeline::Stores stores = pipeline::stores_of(bytes, shared.shares_cache());
  ShmMapped mapped(shared, reduction, from, shares, results);
  mapped.offer(shared.shares_cache() || bytes >= pipeline::past_caches_least);
  const SlotRounds cut(reduction.shadow.chunk(), reduction.reducer.element(), shares.owners(),
                       shares.largest());
  const Slots slots(shared, reduction.shadow, slots_wanted(cut, results), std::min(cut.slot, bytes),
                    pipeline::are_better_in_rooms(bytes, stores)); // here the ranks meet
  shared.look(bytes);
  const bool is_mapped = mapped.agree();
  if (is_mapped) {
    record(reduction.member, Algorithm::shm_mapped);
    mapped.run();
  } else if (slots.count() != 0) {
    reduce_shm_cico(reduction, from, shares, results, cut, slots, stores);
  }
  shared.finish();
  return is_mapped || slots.count() != 0;
}

} // namespace helper::collective
