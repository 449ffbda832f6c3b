// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/scheduled.hpp"

namespace helper::collective {

namespace {

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
void run(const Reduction& reduction, Operation operation, const Stream& from, const Stream& to) {
  const int rank = reduction.shadow.rank();
  const bool has_result = operation == Operation::scan || rank > 0;
  if constexpr (algorithm == Algorithm::shm_linear)
    reduce_shm_linear(reduction, from, &to, operation == Operation::scan ? rank + 1 : rank);
  else if constexpr (method(Operation::scan, algorithm).is_whole)
    reduce_short(reduction, schedule_of(operation, algorithm, reduction.shadow), from,
                 has_result ? &to : nullptr);
  else {
    static_assert(algorithm == Algorithm::chain);
    scan_by_chain(reduction, operation, from, to);
  }
}

std::optional<int> reduce_prefixes(const char* name, Operation operation, team::Member& member,
                                   const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm) {
  if (count <= 0) return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of(name, member, type, op, comm);
  if (!reduction) return std::nullopt;
  const bool has_result = operation == Operation::scan || reduction->shadow.rank() > 0;
  const void* const contribution = source(send, receive);
  if (!valid_contribution(contribution, count, type) || !valid_result(send, receive, count, type))
    return member.decline(reason::arguments);
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  Stream to = reduction->stream(receive, count, type, false);
  const auto code =
      reduction->dispatch<sets::scans>(operation, static_cast<std::size_t>(count),
                                       [&]<Algorithm by> { run<by>(*reduction, operation, from, to); });
  if (code && has_result) to.store_back();
  return code;
}

} // namespace

std::optional<int> scan(team::Member& member, const void* send, void* receive, MPI_Count count,
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return reduce_prefixes("MPI_Scan", Operation::scan, member, send, receive, count, type, op, comm);
}

std::optional<int> exscan(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return reduce_prefixes("MPI_Exscan", Operation::exscan, member, send, receive, count, type, op, comm);
}

} // namespace helper::collective
