// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

void allreduce_by_schedule(Algorithm algorithm, const Reduction& reduction, const Stream& from,
                           const Stream& to) {
  const Shares shares = Shares::even(reduction.elements(from), reduction.ranks());
  const std::size_t element = reduction.reducer.element();
  const std::size_t most = elements_in_chunk(reduction.shadow, reduction.ranks(), element);
  reduce_by_schedule(
      reduction, from, Pieces::consecutive(shares, element, most), Results::to_all(to),
      schedule_of(Operation::allreduce, algorithm, reduction.shadow, RankOrder(algorithm, reduction.shadow)));
}

/// Carries the operation by `algorithm`, as dispatch() wants it.
bool run(Algorithm algorithm, const Reduction& reduction, const Stream& from, const Stream& to) {
  const auto shares = [&] { return Shares::even(reduction.elements(from), reduction.ranks()); };
  switch (algorithm) {
  case Algorithm::shm_linear:
    return allreduce_shm_linear(reduction, from, to), true;
  case Algorithm::recursive_doubling:
    return reduce_short(reduction, short_schedule(Operation::allreduce, algorithm, reduction.shadow), from,
                        &to),
           true;
  case Algorithm::shm_chain:
    return reduce_shm_chain(reduction, from, &to), true;
  case Algorithm::shm_cico:
    return reduce_shm_cico(reduction, from, shares(), Results::to_all(to));
  case Algorithm::two_level:
    return allreduce_two_level(reduction, from, to), true;
  case Algorithm::reduce_scatter_allgather:
    return reduce_by_messages(reduction, from, shares(), Results::to_all(to)), true;
  case Algorithm::recursive_halving:
  case Algorithm::ring:
    return allreduce_by_schedule(algorithm, reduction, from, to), true;
  default:
    return false; // no row has it
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
  const auto code =
      reduction->dispatch(Operation::allreduce, static_cast<std::size_t>(count),
                          [&](Algorithm algorithm) { return run(algorithm, *reduction, from, to); });
  if (code) to.store_back();
  return code;
}

} // namespace helper::collective
