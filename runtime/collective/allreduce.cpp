// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/allreduce_two_level.hpp"
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

void allreduce_recursive_doubling(const Reduction& reduction, const Stream& from, const Stream& to) {
  Partial partial(reduction, from);
  reduce_to_all(partial);
  to.unpack(0, to.size(), partial.data());
}

void allreduce_reduce_scatter_allgather(const Reduction& reduction, const Stream& from, const Stream& to) {
  record(reduction.member, Algorithm::reduce_scatter_allgather);
  const Shares shares = Shares::even(reduction.elements(from), reduction.ranks());
  const Rounds rounds(reduction, from, shares);
  const auto result = [&](RoundLane& lane) { return rounds.piece(to, lane, reduction.rank()); };
  const auto share = [&](RoundLane& lane) { rounds.share_results(lane, to); };
  const auto store = [&](RoundLane& lane) { rounds.unpack(lane, to); };
  rounds.run(lanes, result, share, store);
}

/// Through shared memory; false, at all ranks alike and having done nothing, if that cannot be.
bool allreduce_in_node(const Reduction& reduction, Algorithm algorithm, const Stream& from,
                       const Stream& to) {
  if (algorithm == Algorithm::shm_chain && reduce_shm_chain(reduction, from, &to)) return true;
  static constinit InNodeChoices choices;
  const Shares shares = Shares::even(reduction.elements(from), reduction.ranks());
  return reduce_in_node(reduction, from, shares, Results::to_all(to), choices);
}

} // namespace

std::optional<int> allreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const void* const contribution = source(send, receive);
  if (count <= 0 || !valid_contribution(contribution, count, type) ||
      !valid_result(send, receive, count, type))
    return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of("MPI_Allreduce", member, type, op, comm);
  if (!reduction) return std::nullopt;
  const Algorithm algorithm = reduction->algorithm(Operation::allreduce, static_cast<std::size_t>(count));
  if (algorithm == Algorithm::native) return member.decline(reason::selection);
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  Stream to = reduction->stream(receive, count, type, false);
  if (algorithm == Algorithm::shm_linear) {
    allreduce_shm_linear(*reduction, from, to);
  } else if (algorithm == Algorithm::recursive_doubling) {
    allreduce_recursive_doubling(*reduction, from, to);
  } else if (algorithm == Algorithm::two_level) {
    allreduce_two_level(*reduction, from, to);
  } else if (!is_in_node(algorithm) || !allreduce_in_node(*reduction, algorithm, from, to)) {
    allreduce_reduce_scatter_allgather(*reduction, from, to);
  }
  to.store_back();
  return MPI_SUCCESS;
}

} // namespace helper::collective
