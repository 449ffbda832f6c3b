// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
auto run(const Reduction& reduction, const Stream& from, const Stream& to) {
  if constexpr (algorithm == Algorithm::shm_linear)
    allreduce_shm_linear(reduction, from, to);
  else if constexpr (algorithm == Algorithm::shm_chain)
    reduce_shm_chain(reduction, from, &to);
  else if constexpr (algorithm == Algorithm::shm_cico)
    return reduce_shm_cico(reduction, from, Shares::even(reduction.elements(from), reduction.ranks()),
                           Results::to_all(to));
  else if constexpr (method(Operation::allreduce, algorithm).is_whole)
    reduce_short(reduction, schedule_of(Operation::allreduce, algorithm, reduction.shadow), from, &to);
  else {
    static_assert(is_scheduled(Operation::allreduce, algorithm));
    reduce_by_schedule(Operation::allreduce, algorithm, reduction, from, Results::to_all(to));
  }
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
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  Stream to = reduction->stream(receive, count, type, false);
  const auto code = reduction->dispatch<set_of(Operation::allreduce)>(
      Operation::allreduce, static_cast<std::size_t>(count),
      [&]<Algorithm by> { return run<by>(*reduction, from, to); });
  if (code) to.store_back();
  return code;
}

} // namespace helper::collective
