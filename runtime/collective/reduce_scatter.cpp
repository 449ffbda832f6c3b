// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"
#include "lifetime/thread_block.hpp"

namespace helper::collective {

namespace {

/// Reduces few elements, equally many for each rank.
void reduce_scatter_short(const Reduction& reduction, std::size_t share, const Stream& from,
                          const Stream& to) {
  const std::size_t bytes = share * reduction.reducer.element(); // of a block
  const RankOrder order(Operation::reduce_scatter, Algorithm::recursive_halving, reduction.shadow);
  Schedule schedule(order.number(reduction.shadow.rank()), order.ranks(), order.distance());
  steps::bruck(schedule, Operation::reduce_scatter, 0);
  schedule.among([&order](std::size_t number) { return order.rank(number); });
  lifetime::ThreadBlock<short_most> blocks; // starting with this rank's
  lifetime::ThreadBlock<short_most> arrived;
  order.for_each_behind([&](std::size_t rank, std::size_t count, std::size_t behind) {
    from.pack(rank * bytes, (rank + count) * bytes, blocks.data() + behind * bytes);
  });
  const auto operation = ScheduledOperation::of(reduction, schedule, MessageKind::partial);
  operation.run_short({.contributed = blocks.data(), .partial = blocks.data(), .arrived = arrived.data()},
                      bytes);
  to.unpack(0, bytes, blocks.data());
}

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
auto run(const Reduction& reduction, const Shares& shares, const Stream& from, const Stream& to,
         bool in_place) {
  constexpr Operation operation = Operation::reduce_scatter;
  const Results results = Results::to_owners(&to, in_place);
  if constexpr (algorithm == Algorithm::shm_linear) {
    allreduce_shm_linear(reduction, from, to, shares.begin(reduction.rank()));
  } else if constexpr (algorithm == Algorithm::shm_cico) {
    return reduce_shm_cico(reduction, from, shares, results);
  } else if constexpr (method(operation, algorithm).is_whole) {
    // Reduces all elements, for fewer messages, and stores only this rank's share.
    reduce_short(reduction, schedule_of(operation, algorithm, reduction.shadow), from, &to,
                 shares.begin(reduction.rank()) * reduction.reducer.element());
  } else {
    static_assert(is_scheduled(operation, algorithm));
    if (algorithm == Algorithm::recursive_halving && shares.largest() * reduction.ranks() == shares.total() &&
        from.size() <= std::min(short_most, reduction.shadow.chunk()))
      reduce_scatter_short(reduction, shares.largest(), from, to);
    else
      reduce_by_schedule(operation, algorithm, reduction, from, results, 0, &shares);
  }
}

/// Reduces all elements; each rank gets its share. `shares` are equal at all ranks.
std::optional<int> reduce_to_shares(const Reduction& reduction, Operation operation, const void* send,
                                    void* receive, const Shares& shares, MPI_Datatype type) {
  const void* const contribution = source(send, receive);
  const auto contributes = static_cast<MPI_Count>(shares.total());
  const auto receives = static_cast<MPI_Count>(shares.size(reduction.rank()));
  if (!valid_contribution(contribution, contributes, type) || !valid_result(send, receive, receives, type))
    return reduction.member.decline(reason::arguments);
  const Stream from = reduction.stream(const_cast<void*>(contribution), contributes, type, true);
  Stream to = reduction.stream(receive, receives, type, false);
  const auto code = reduction.dispatch<sets::reduce_scatters>(
      operation, shares.total(),
      [&]<Algorithm by> { return run<by>(reduction, shares, from, to, send == MPI_IN_PLACE); },
      shares.owners(), shares.largest());
  if (code && to.size() != 0) to.store_back();
  return code;
}

} // namespace

std::optional<int> reduce_scatter(team::Member& member, const void* send, void* receive, Integers counts,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!counts.are_there()) return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of("MPI_Reduce_scatter", member, type, op, comm);
  if (!reduction) return std::nullopt;
  std::vector<MPI_Count> all(reduction->ranks());
  for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = counts[static_cast<int>(rank)];
  if (std::ranges::min(all) < 0 || std::ranges::max(all) == 0) return member.decline(reason::arguments);
  const Shares shares(all.size(), [&](std::size_t rank) { return static_cast<std::size_t>(all[rank]); });
  return reduce_to_shares(*reduction, Operation::reduce_scatter, send, receive, shares, type);
}

std::optional<int> reduce_scatter_block(team::Member& member, const void* send, void* receive,
                                        MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (count <= 0) return member.decline(reason::arguments);
  const std::optional<Reduction> reduction =
      Reduction::of("MPI_Reduce_scatter_block", member, type, op, comm);
  if (!reduction) return std::nullopt;
  const Shares shares(reduction->ranks(), [&](std::size_t) { return static_cast<std::size_t>(count); });
  return reduce_to_shares(*reduction, Operation::reduce_scatter_block, send, receive, shares, type);
}

} // namespace helper::collective
