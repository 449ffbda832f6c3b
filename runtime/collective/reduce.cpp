// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

void reduce_recursive_halving(const Reduction& reduction, const Stream& from, const Stream* to, int root) {
  const RankOrder order(Algorithm::recursive_halving, reduction.shadow);
  const Shares shares = Shares::even(reduction.elements(from), order.ranks());
  const std::size_t element = reduction.reducer.element();
  const std::size_t most = elements_in_chunk(reduction.shadow, order.ranks(), element);
  reduce_by_schedule(
      reduction, from, Pieces::consecutive(shares, element, most),
      Results::to_root(to, static_cast<std::size_t>(root)),
      schedule_of(Operation::reduce, Algorithm::recursive_halving, reduction.shadow, order, root));
}

bool is_linear_in_node(const Reduction& reduction) {
  return reduction.ranks() <= most_linear;
}

/// Carries the operation by `algorithm`, as dispatch() wants it.
bool run(Algorithm algorithm, const Reduction& reduction, const Stream& from, const Stream* to, int root) {
  const auto owner = static_cast<std::size_t>(root);
  const auto even = [&] { return Shares::even(reduction.elements(from), reduction.ranks()); };
  const auto all_to_root = [&] { return Shares::all_to(owner, reduction.elements(from), reduction.ranks()); };
  switch (algorithm) {
  case Algorithm::shm_linear:
    return reduce_shm_linear(reduction, from, to, to != nullptr ? reduction.shadow.size() : 0), true;
  case Algorithm::binomial:
    return reduce_short(reduction, short_schedule(Operation::reduce, algorithm, reduction.shadow, root), from,
                        to),
           true;
  case Algorithm::shm_chain:
    return reduce_shm_chain(reduction, from, to), true;
  case Algorithm::shm_cico:
    return is_linear_in_node(reduction)
               ? reduce_shm_cico(reduction, from, all_to_root(), Results::to_owners(to, false))
               : reduce_shm_cico(reduction, from, even(), Results::to_root(to, owner));
  case Algorithm::linear:
    return reduce_by_messages(reduction, from, all_to_root(), Results::to_owners(to, false)), true;
  case Algorithm::reduce_scatter_gather:
    return reduce_by_messages(reduction, from, even(), Results::to_root(to, owner)), true;
  case Algorithm::recursive_halving:
    return reduce_recursive_halving(reduction, from, to, root), true;
  default:
    return false; // no row has it
  }
}

} // namespace

std::optional<int> reduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (count <= 0 || comm == MPI_COMM_NULL || !ranks::valid_root(root, comm))
    return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of("MPI_Reduce", member, type, op, comm);
  if (!reduction) return std::nullopt;
  const bool is_root = reduction->shadow.rank() == root;
  const void* const contribution = is_root ? source(send, receive) : send;
  if (!valid_contribution(contribution, count, type) ||
      (is_root && !valid_result(send, receive, count, type)))
    return member.decline(reason::arguments);
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  std::optional<Stream> to;
  if (is_root) to.emplace(reduction->stream(receive, count, type, false));
  const Stream* const target = to ? &*to : nullptr;
  const std::size_t elements = static_cast<std::size_t>(count);
  const auto run_it = [&](Algorithm algorithm) { return run(algorithm, *reduction, from, target, root); };
  const auto code = is_linear_in_node(*reduction)
                        ? reduction->dispatch(Operation::reduce, elements, 1, elements, run_it)
                        : reduction->dispatch(Operation::reduce, elements, run_it);
  if (code && to) to->store_back();
  return code;
}

} // namespace helper::collective
