// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

bool is_linear_in_node(const Reduction& reduction) {
  return reduction.ranks() <= most_linear;
}

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
auto run(const Reduction& reduction, const Stream& from, const Stream* to, int root) {
  const std::size_t elements = reduction.elements(from), ranks = reduction.ranks();
  if constexpr (algorithm == Algorithm::shm_linear)
    reduce_shm_linear(reduction, from, to, to != nullptr ? reduction.shadow.size() : 0);
  else if constexpr (algorithm == Algorithm::shm_chain)
    reduce_shm_chain(reduction, from, to);
  else if constexpr (algorithm == Algorithm::shm_cico)
    return is_linear_in_node(reduction)
               ? reduce_shm_cico(reduction, from,
                                 Shares::all_to(static_cast<std::size_t>(root), elements, ranks),
                                 Results::to_owners(to, false))
               : reduce_shm_cico(reduction, from, Shares::even(elements, ranks), Results::to_root(to));
  else if constexpr (method(Operation::reduce, algorithm).is_whole)
    reduce_short(reduction, schedule_of(Operation::reduce, algorithm, reduction.shadow, root), from, to);
  else {
    static_assert(is_scheduled(Operation::reduce, algorithm));
    reduce_by_schedule(Operation::reduce, algorithm, reduction, from, Results::to_root(to), root);
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
  const bool is_linear = is_linear_in_node(*reduction);
  const auto code = reduction->dispatch<set_of(Operation::reduce)>(
      Operation::reduce, elements, [&]<Algorithm by> { return run<by>(*reduction, from, target, root); },
      is_linear ? 1 : 0, is_linear ? elements : 0);
  if (code && to) to->store_back();
  return code;
}

} // namespace helper::collective
