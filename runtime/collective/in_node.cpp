// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/in_node.hpp"

#include "collective/reduce_shm_cico.hpp"
#include "collective/reduce_shm_mapped.hpp"
#include "collective/shared_operation.hpp"
#include "collective/situation.hpp"
#include "transport/room.hpp"

namespace helper::collective {

bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results, InNodeChoices& choices) {
  using Way = InNodeChoices::Way;
  const std::size_t bytes = from.size();
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  pipeline::Choice<Way>& ways = choices.ways.of(bytes, from.is_dense());
  const auto way_turn = ways.choose();
  const Mapped direct =
      reduce_shm_mapped(shared, reduction, from, shares, results, way_turn.way == Way::in_place);
  const bool learns_way = direct != Mapped::impossible && reduction.rank() == 0; // whose choice is followed
  if (direct == Mapped::done) {
    record(reduction.member, Algorithm::shm_mapped);
    if (learns_way) ways.learn(way_turn, bytes, shared.since_all_came());
    return true;
  }
  pipeline::StoreChoice& stores = choices.stores.of(bytes, from.is_dense());
  const auto store_turn = stores.choose(transport::Room::turns(bytes));
  if (!reduce_shm_cico(shared, reduction, from, shares, results, store_turn.way)) {
    shared.finish();
    return false;
  }
  record(reduction.member, Algorithm::shm_cico);
  const auto time = shared.since_all_came();
  stores.learn(store_turn, bytes, time);
  if (learns_way && !store_turn.trial) ways.learn(way_turn, bytes, time);
  return true;
}

} // namespace helper::collective
