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
#include "transport/room.hpp"

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
                    const Results& results, InNodeChoices& choices) {
  using Way = InNodeChoices::Way;
  const std::size_t bytes = from.size();
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  pipeline::Choice<Way>& ways = choices.ways.of(bytes, from.is_dense());
  pipeline::StoreChoice& stores = choices.stores.of(bytes, from.is_dense());
  const auto way_turn =
      ways.choose(2); // trials have other turns than those of the stores, which would not meet them
  const auto store_turn = stores.choose(transport::Room::turns(bytes));
  ShmMapped mapped(shared, reduction, from, shares, results);
  mapped.offer(way_turn.way == Way::in_place);
  const SlotRounds cut(reduction.shadow.chunk(), reduction.reducer.element(), shares.owners(),
                       shares.largest());
  const Slots slots(shared, reduction.shadow, slots_wanted(cut, results), std::min(cut.slot, bytes),
                    pipeline::are_better_in_rooms(bytes, store_turn.way)); // here the ranks meet
  const ShmMapped::Agreed agreed = mapped.agree();
  const bool is_mapped = agreed == ShmMapped::Agreed::wanted;
  if (!is_mapped && slots.count() == 0) {
    shared.finish();
    return false;
  }
  if (is_mapped) {
    record(reduction.member, Algorithm::shm_mapped);
    mapped.run();
  } else {
    reduce_shm_cico(reduction, from, shares, results, cut, slots, store_turn.way);
  }
  shared.finish();
  const auto time = shared.since_all_came();
  if (!is_mapped) stores.learn(store_turn, bytes, time);
  const bool learns_way = agreed != ShmMapped::Agreed::impossible && reduction.rank() == 0; // rank 0 decides
  if (learns_way && (is_mapped || !store_turn.trial)) ways.learn(way_turn, bytes, time);
  return true;
}

} // namespace helper::collective
