// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <numeric>

#include "collective/nonblocking.hpp"
#include "collective/reduction.hpp"
#include "ranks/arguments.hpp"
#include "reduction/kernel.hpp"

namespace helper::collective {

namespace {

/// The arguments and resources of a non-blocking reduction, like Reduction for blocking ones.
struct NonblockingReduction {
  MPI_Op op;
  MPI_Datatype type;
  std::size_t element; ///< bytes of data
  const Shadow& shadow;

  /// Returns nothing, at all ranks, if native MPI must reduce: see Reduction::of(). It must also if `op` is
  /// user-defined, since only a thread in MPI may call `op`. Allocates nothing, like collective::carries().
  static std::optional<NonblockingReduction> of(team::Member& member, MPI_Datatype type, MPI_Op op,
                                                MPI_Comm comm, const Making& making) {
    if (!reduction::find(op, type)) return member.decline(reason::kernel);
    const Shadow* const shadow = find_shadow(member, comm, making);
    if (shadow == nullptr) return std::nullopt;
    int element = 0;
    ranks::check(PMPI_Type_size(type, &element)); // it is predefined
    return NonblockingReduction{op, type, static_cast<std::size_t>(element), *shadow};
  }

  /// Does what collective::carries() does, for `elements` elements.
  bool carries(const team::Member& member, Operation operation, MPI_Count elements) const {
    return elements >= 0 ? collective::carries(member, shadow, operation, bytes(elements))
                         : (member.decline(reason::arguments), false);
  }

  /// Returns an operation to which the rank contributes `count` elements. The ranks `readers` read them.
  Participation contribute(const char* name, const void* send, const void* receive, MPI_Count count,
                           RankRange readers) const {
    return {name, part(source(send, receive), count, type), send == MPI_IN_PLACE, readers,
            reduction::Reducer::of(op, type).value()};
  }

  /// Lets the rank reduce `count` elements of the contributions of `from`, from the element `first` on.
  void take(Participation& reduction, void* receive, MPI_Count first, MPI_Count count, RankRange from) const {
    if (from.count() == 0 || count == 0) return;
    reduction.result = part(receive, count, type);
    reduction.from = from;
    reduction.begin = bytes(first);
  }

  std::size_t bytes(MPI_Count elements) const noexcept {
    return static_cast<std::size_t>(elements) * element;
  }
  int rank() const noexcept { return shadow.rank(); }
  RankRange all() const noexcept { return {0, shadow.size()}; }
};

/// Reduces whole vectors, to all ranks or in a scan. In a scan a rank reduces the contributions of all lower
/// ranks, in an inclusive scan also its own contribution.
std::optional<int> make_vectors(Operation operation, const char* name, team::Member& member, const void* send,
                                void* receive, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                const Making& making) {
  if (count <= 0 || !valid_contribution(source(send, receive), count, type) ||
      !valid_result(send, receive, count, type))
    return member.decline(reason::arguments);
  const auto found = NonblockingReduction::of(member, type, op, comm, making);
  if (!found || !found->carries(member, operation, count)) return std::nullopt;
  const bool to_all = operation == Operation::iallreduce;
  const int next = found->rank() + 1;
  const RankRange readers = to_all ? found->all() : RankRange{next, found->shadow.size()};
  const RankRange from =
      to_all ? found->all() : RankRange{0, operation == Operation::iscan ? next : found->rank()};
  auto reduction = found->contribute(name, send, receive, count, readers);
  found->take(reduction, receive, 0, count, from);
  return make(member, found->shadow, std::move(reduction), making);
}

/// Reduces to shares: rank r gets `counts[r]` elements.
std::optional<int> make_shares(team::Member& member, const NonblockingReduction& found, const char* name,
                               const void* send, void* receive, const std::vector<MPI_Count>& counts,
                               const Making& making) {
  const auto own = counts.begin() + found.rank();
  const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
  if (std::ranges::min(counts) < 0 || !valid_contribution(source(send, receive), total, found.type) ||
      !valid_result(send, receive, *own, found.type))
    return member.decline(reason::arguments);
  auto reduction = found.contribute(name, send, receive, total, found.all());
  found.take(reduction, receive, std::accumulate(counts.begin(), own, MPI_Count{0}), *own, found.all());
  return make(member, found.shadow, std::move(reduction), making);
}

} // namespace

std::optional<int> iallreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making) {
  return make_vectors(Operation::iallreduce, "MPI_Iallreduce", member, send, receive, count, type, op, comm,
                      making);
}

std::optional<int> ireduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, const Making& making) {
  if (count <= 0) return member.decline(reason::arguments);
  const auto found = NonblockingReduction::of(member, type, op, comm, making);
  if (!found || !found->carries(member, Operation::ireduce, count)) return std::nullopt;
  if (!ranks::valid_root(root, comm)) return member.decline(reason::arguments);
  const bool is_root = found->rank() == root;
  const void* const contribution = is_root ? source(send, receive) : send;
  if (!valid_contribution(contribution, count, type) ||
      (is_root && !valid_result(send, receive, count, type)))
    return member.decline(reason::arguments);
  auto reduction = found->contribute("MPI_Ireduce", send, receive, count, {root, root + 1});
  if (is_root) found->take(reduction, receive, 0, count, found->all());
  return make(member, found->shadow, std::move(reduction), making);
}

std::optional<int> ireduce_scatter(team::Member& member, const void* send, void* receive, Integers counts,
                                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making) {
  if (!counts.are_there()) return member.decline(reason::arguments);
  const auto found = NonblockingReduction::of(member, type, op, comm, making);
  if (!found) return std::nullopt;
  MPI_Count total = 0;
  for (int rank = 0; rank < found->shadow.size(); ++rank) total += counts[rank];
  if (!found->carries(member, Operation::ireduce_scatter, total)) return std::nullopt;
  std::vector<MPI_Count> all;
  for (int rank = 0; rank < found->shadow.size(); ++rank) all.push_back(counts[rank]);
  return make_shares(member, *found, "MPI_Ireduce_scatter", send, receive, all, making);
}

std::optional<int> ireduce_scatter_block(team::Member& member, const void* send, void* receive,
                                         MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                         const Making& making) {
  const auto found = NonblockingReduction::of(member, type, op, comm, making);
  if (!found || !found->carries(member, Operation::ireduce_scatter_block, count * found->shadow.size()))
    return std::nullopt;
  const std::vector<MPI_Count> all(static_cast<std::size_t>(found->shadow.size()), count);
  return make_shares(member, *found, "MPI_Ireduce_scatter_block", send, receive, all, making);
}

std::optional<int> iscan(team::Member& member, const void* send, void* receive, MPI_Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making) {
  return make_vectors(Operation::iscan, "MPI_Iscan", member, send, receive, count, type, op, comm, making);
}

std::optional<int> iexscan(team::Member& member, const void* send, void* receive, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Making& making) {
  return make_vectors(Operation::iexscan, "MPI_Iexscan", member, send, receive, count, type, op, comm,
                      making);
}

} // namespace helper::collective
