// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "collective/cost.hpp"
#include "collective/dispatch.hpp"
#include "collective/partial.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"

namespace helper::collective {

namespace {

/// Whether a rank's own contribution is part of its result.
enum class OwnContribution { included, excluded };

struct ScanLane : pipeline::Lane {
  using Lane::Lane;
  std::byte* received = nullptr; // the prefix of the ranks below
  std::byte* staged = nullptr;   // for what does not lie in the user's buffers
  const std::byte* own = nullptr;
  const std::byte* prefix = nullptr; // of the ranks up to this one
  std::array<const std::byte*, 2> operands;
};

/// Scans many elements, in chunks down a chain of the ranks: each receives the prefix of the ranks below,
/// combines it with its contribution, and passes that on.
class ScanChain {
public:
  ScanChain(const Reduction& reduction, OwnContribution own, const Stream& from, const Stream& to)
      : reduction_(reduction), own_(own), from_(from), to_(to), chunks_(from.size(), chunk(reduction, from)) {
  }

  void run() const;

private:
  /// Returns the bytes of a chunk, which is whole elements.
  static std::size_t chunk(const Reduction& reduction, const Stream& from) {
    const std::size_t element = reduction.reducer.element();
    const std::size_t most = chain_chunk(situation(reduction.shadow, from.size()));
    return std::max<std::size_t>(most / element, 1) * element;
  }
  int rank() const { return reduction_.shadow.rank(); }
  bool is_first() const { return rank() == 0; }
  bool is_last() const { return rank() + 1 == reduction_.shadow.size(); }
  /// Returns whether any rank needs the prefix up to this rank.
  bool combines() const { return own_ == OwnContribution::included || !is_last(); }

  void begin(ScanLane& lane, std::size_t chunk) const;
  void combine(ScanLane& lane, std::size_t chunk) const;
  void finish(ScanLane& lane, std::size_t chunk) const;

  const Reduction& reduction_;
  const OwnContribution own_;
  const Stream& from_;
  const Stream& to_;
  const pipeline::Chunks chunks_;
};

void ScanChain::run() const {
  const std::size_t bytes = chunks_.size(0);
  pipeline::Staging staging(2 * bytes, std::min(lanes, chunks_.count()), reduction_.shadow);
  std::vector<ScanLane> in_flight;
  for (std::size_t index = 0; index < staging.count(); ++index) {
    ScanLane& lane = in_flight.emplace_back(reduction_.member, reduction_.shadow);
    lane.received = staging[index];
    lane.staged = staging[index] + bytes;
  }
  pipeline::run(
      reduction_.operation, in_flight, chunks_.count(),
      [this](ScanLane& lane, std::size_t chunk) { begin(lane, chunk); },
      [this](ScanLane& lane, std::size_t chunk) { combine(lane, chunk); },
      [this](ScanLane& lane, std::size_t chunk) { finish(lane, chunk); });
}

void ScanChain::begin(ScanLane& lane, std::size_t chunk) const {
  if (!is_first())
    lane.receive(lane.received, chunks_.size(chunk), rank() - 1, tag(MessageKind::contribution, chunk));
  if (!combines()) return;
  if (from_.is_dense()) {
    lane.own = from_.dense() + chunks_.begin(chunk);
    return;
  }
  lane.own = lane.staged;
  lane.pack(from_, chunks_.begin(chunk), chunks_.size(chunk), lane.staged);
}

void ScanChain::combine(ScanLane& lane, std::size_t chunk) const {
  lane.prefix = lane.own;
  if (is_first() || !combines()) return;
  const bool straight = own_ == OwnContribution::included && to_.is_dense();
  std::byte* const out = straight ? to_.dense() + chunks_.begin(chunk) : lane.staged;
  lane.prefix = out;
  lane.operands = {lane.received, lane.own};
  pipeline::start_reducing(reduction_.reducer, lane, lane.operands,
                           chunks_.size(chunk) / reduction_.reducer.element(), out);
}

void ScanChain::finish(ScanLane& lane, std::size_t chunk) const {
  if (!is_last())
    lane.send(lane.prefix, chunks_.size(chunk), rank() + 1, tag(MessageKind::contribution, chunk));
  if (own_ == OwnContribution::excluded && is_first()) return;
  const std::byte* const result = own_ == OwnContribution::included ? lane.prefix : lane.received;
  if (to_.is_dense() && result == to_.dense() + chunks_.begin(chunk)) return;
  lane.unpack(to_, chunks_.begin(chunk), chunks_.size(chunk), result);
}

void scan_recursive_doubling(const Reduction& reduction, OwnContribution own, const Stream& from,
                             const Stream& to) {
  Partial partial(reduction, from);
  const int rank = partial.rank();
  // If the own contribution is excluded, the contributions move up by a rank, and the first rank is done.
  const int first = own == OwnContribution::included ? 0 : 1;
  if (own == OwnContribution::excluded)
    partial.shift(rank + 1 < partial.ranks() ? rank + 1 : MPI_PROC_NULL, rank > 0 ? rank - 1 : MPI_PROC_NULL);
  reduce_prefixes(partial, first);
  if (rank >= first) to.unpack(0, to.size(), partial.data());
}

/// Carries the operation by `algorithm`, as dispatch() wants it.
bool run(Algorithm algorithm, const Reduction& reduction, OwnContribution own, const Stream& from,
         const Stream& to) {
  switch (algorithm) {
  case Algorithm::shm_linear:
    return reduce_shm_linear(reduction, from, &to,
                             reduction.shadow.rank() + (own == OwnContribution::included ? 1 : 0)),
           true;
  case Algorithm::recursive_doubling:
    return scan_recursive_doubling(reduction, own, from, to), true;
  case Algorithm::chain:
    return ScanChain(reduction, own, from, to).run(), true;
  default:
    return false; // no row has it
  }
}

std::optional<int> reduce_prefixes(const char* operation, OwnContribution own, team::Member& member,
                                   const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm) {
  if (count <= 0) return member.decline(reason::arguments);
  const std::optional<Reduction> reduction = Reduction::of(operation, member, type, op, comm);
  if (!reduction) return std::nullopt;
  const Operation which = own == OwnContribution::included ? Operation::scan : Operation::exscan;
  const bool has_result = own == OwnContribution::included || reduction->shadow.rank() > 0;
  const void* const contribution = source(send, receive);
  if (!valid_contribution(contribution, count, type) || !valid_result(send, receive, count, type))
    return member.decline(reason::arguments);
  const Stream from = reduction->stream(const_cast<void*>(contribution), count, type, true);
  Stream to = reduction->stream(receive, count, type, false);
  const auto code = reduction->dispatch(which, static_cast<std::size_t>(count), [&](Algorithm algorithm) {
    return run(algorithm, *reduction, own, from, to);
  });
  if (code && has_result) to.store_back();
  return code;
}

} // namespace

std::optional<int> scan(team::Member& member, const void* send, void* receive, MPI_Count count,
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return reduce_prefixes("MPI_Scan", OwnContribution::included, member, send, receive, count, type, op, comm);
}

std::optional<int> exscan(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return reduce_prefixes("MPI_Exscan", OwnContribution::excluded, member, send, receive, count, type, op,
                         comm);
}

} // namespace helper::collective
