// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/collective.hpp"
#include "collective/in_node.hpp"
#include "collective/partial.hpp"
#include "collective/reduce_shm_chain.hpp"
#include "collective/reduction.hpp"
#include "collective/rounds.hpp"
#include "collective/selection.hpp"
#include "collective/shm_linear.hpp"

namespace helper::collective {

namespace {

using pipeline::Stream;

// `to` is null but at the root.
void reduce_binomial(const Reduction& reduction, const Stream& from, const Stream* to, int root) {
  Partial partial(reduction, from);
  reduce_to_root(partial, root);
  if (to != nullptr) to->unpack(0, to->size(), partial.data());
}

/// Each rank reduces its share, which the root gets.
void reduce_shares(const Reduction& reduction, const Stream& from, const Stream* to, std::size_t root,
                   const Shares& shares) {
  const Rounds rounds(reduction, from, shares);
  const auto result = [&](RoundLane& lane) {
    return to != nullptr ? rounds.piece(*to, lane, root) : lane.received;
  };
  const auto collect = [&](RoundLane& lane) {
    if (to != nullptr) {
      rounds.receive_results(lane, *to);
    } else {
      rounds.send_result(lane, root);
    }
  };
  const auto store = [&](RoundLane& lane) {
    if (to != nullptr) rounds.unpack(lane, *to);
  };
  rounds.run(lanes, result, collect, store);
}

/// Through shared memory; false, at all ranks alike and having done nothing, if that cannot be.
bool reduce_in_node(const Reduction& reduction, Algorithm algorithm, const Stream& from, const Stream* to,
                    std::size_t root) {
  if (algorithm == Algorithm::shm_chain && reduce_shm_chain(reduction, from, to)) return true;
  static constinit InNodeChoices choices;
  const std::size_t elements = reduction.elements(from);
  if (reduction.ranks() <= most_linear)
    return reduce_in_node(reduction, from, Shares::all_to(root, elements, reduction.ranks()),
                          Results::to_owners(to, false), choices);
  return reduce_in_node(reduction, from, Shares::even(elements, reduction.ranks()), Results::to_root(to),
                        choices);
}

} // namespace

std::optional<int> reduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (count <= 0 || comm == MPI_COMM_NULL || !transport::valid_root(root, comm))
    return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of("MPI_Reduce", member, type, op, comm);
  if (!reduction) return std::nullopt;
  const Algorithm algorithm = reduction->algorithm(Operation::reduce, static_cast<std::size_t>(count));
  if (algorithm == Algorithm::native) return member.decline(reason::selection);
  const bool is_root = reduction->shadow.rank() == root;
  const void* const contribution = is_root ? source(send, receive) : send;
  if (!valid_contribution(contribution, count, type) ||
      (is_root && !valid_result(send, receive, count, type)))
    return member.decline(reason::arguments);
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  std::optional<Stream> to;
  if (is_root) to.emplace(receive, count, type, reduction->shadow, false);
  const Stream* const target = to ? &*to : nullptr;
  if (algorithm == Algorithm::shm_linear) {
    reduce_shm_linear(*reduction, from, target, is_root ? reduction->shadow.size() : 0);
  } else if (algorithm == Algorithm::binomial) {
    reduce_binomial(*reduction, from, target, root);
  } else if (const auto owner = static_cast<std::size_t>(root);
             !is_in_node(algorithm) || !reduce_in_node(*reduction, algorithm, from, target, owner)) {
    const bool is_linear = algorithm == Algorithm::linear;
    record(member, is_linear ? Algorithm::linear : Algorithm::reduce_scatter_gather);
    const std::size_t elements = reduction->elements(from);
    const Shares shares = is_linear ? Shares::all_to(owner, elements, reduction->ranks())
                                    : Shares::even(elements, reduction->ranks());
    reduce_shares(*reduction, from, target, owner, shares);
  }
  if (to) to->store_back();
  return MPI_SUCCESS;
}

} // namespace helper::collective
