// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/in_node.hpp"

#include "collective/direct.hpp"
#include "collective/shared_operation.hpp"
#include "collective/staged.hpp"

namespace helper::collective {

bool reduce_in_node(const Reduction& reduction, const pipeline::Stream& from, const Shares& shares,
                    const Results& results, InNodeChoices& choices) {
  using Way = InNodeChoices::Way;
  SharedOperation shared(reduction.operation, reduction.member, reduction.shadow);
  const auto begun = pipeline::StoreChoice::Clock::now();
  const auto learn = [&](auto& choice, const auto& turn) {
    choice.learn(turn, from.size(), pipeline::StoreChoice::Clock::now() - begun);
  };
  auto& ways = choices.ways.of(from.size(), from.is_dense());
  const auto way = ways.choose();
  const Direct direct = reduce_direct(shared, reduction, from, shares, results, way.way == Way::in_place);
  const bool learns_way = direct != Direct::impossible && reduction.rank() == 0; // whose choice is followed
  if (direct == Direct::done) {
    if (learns_way) learn(ways, way);
    return true;
  }
  pipeline::StoreChoice& stores = choices.stores.of(from.size(), from.is_dense());
  const auto store = stores.choose(transport::Room::turns(from.size()));
  if (reduce_staged(shared, reduction, from, shares, results, store.way)) {
    learn(stores, store);
    if (learns_way && !store.trial) learn(ways, way);
    return true;
  }
  shared.finish();
  return false;
}

} // namespace helper::collective
