// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the leader does in each operation.

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hybrid/call.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "ranks/arguments.hpp"
#include "ranks/communicator.hpp"
#include "reduction/bounds.hpp"
#include "reduction/reducer.hpp"

namespace helper::hybrid {

namespace {

using pipeline::Stream;
using reduction::Reducer;

/// A buffer with a block of `count` elements for each member, by rank, then by index within the rank.
struct Blocks {
  /// Exchanges the numbers of members among the ranks with an MPI call. Throws MpiError. Throws Rejected,
  /// alike at all ranks, if an int cannot count the elements.
  Blocks(const MemberCall& call, std::size_t own_members)
      : counts(static_cast<std::size_t>(ranks::size_of(call.comm))) {
    const int own = static_cast<int>(own_members);
    if (counts.size() == 1)
      counts.front() = own;
    else
      check(MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, call.comm));
    members = std::accumulate(counts.begin(), counts.end(), 0);
    if (MPI_Count{members} * call.count > std::numeric_limits<int>::max())
      throw Rejected(MPI_ERR_COUNT, std::to_string(members) + " members have " + std::to_string(call.count) +
                                        " elements each, which is more than an int can count");
    for (int& of_rank : counts) {
      of_rank *= call.count;
      displacements.push_back(elements);
      elements += of_rank;
    }
    first = displacements[static_cast<std::size_t>(ranks::rank_in(call.comm))];
  }

  int members = 0;                ///< of all ranks
  std::vector<int> counts;        ///< elements of each rank
  std::vector<int> displacements; ///< where the elements of each rank begin
  int first = 0;                  ///< the first of this rank's elements
  int elements = 0;               ///< of all blocks
};

/// A copy from one stream to another, with the offset in each stream at which to begin.
struct BlockCopy {
  const Stream* from;
  std::size_t from_byte;
  const Stream* to;
  std::size_t to_byte;
};

/// Makes copies of `bytes` bytes each, as a job of the team.
void run_copies(team::Member& leader, std::span<const BlockCopy> copies, std::size_t bytes) {
  leader.run(trace::Stage::copy, copies.size() * bytes, pipeline::grain,
             [&](std::size_t begin, std::size_t end) noexcept {
               for (std::size_t at = begin; at < end;) {
                 const std::size_t offset = at % bytes;
                 const std::size_t length = std::min(end - at, bytes - offset);
                 const BlockCopy& copy = copies[at / bytes];
                 pipeline::copy_range(*copy.from, copy.from_byte + offset, *copy.to, copy.to_byte + offset,
                                      length);
                 at += length;
               }
             });
}

MPI_Count bytes_of(const MemberCall& call) {
  reject_negative_count(call);
  return call.count * element_bytes(call);
}

void carry_out_bcast(team::Member& leader, const MemberCall&, MemberCalls calls) {
  agree(calls, &MemberCall::root, [](const MemberCall& call) { return "root " + std::to_string(call.root); });
  if (!have_one_type(calls) || first_other(calls, &MemberCall::count) != calls.size()) {
    agree(calls, bytes_of, [](const MemberCall& call) {
      return std::to_string(call.count) + " of " + type_name(call.type) + ", " +
             std::to_string(bytes_of(call)) + " bytes";
    });
  }
  const MemberCall& first = calls.first(); // whose data the root sends
  const ResultCopies copies(first, calls);
  const auto broadcast = function_for(first.comm, MPI_Bcast, PMPI_Bcast);
  // MPI may hang if one rank passes no element, and another elements without data: quirk empty_bcast_hangs.
  if (bytes_of(first) == 0)
    check(broadcast(nullptr, 0, MPI_BYTE, first.root, first.comm));
  else
    check(broadcast(first.receive, first.count, first.type, first.root, first.comm));
  copies.run(leader);
}

/// Copies the contributions of this rank's members into the leader's receive buffer, where MPI reads them.
void collect(team::Member& leader, const MemberCall& own, MemberCalls calls, const Blocks& blocks) {
  const Stream collected = data(own, own.receive, blocks.elements);
  const std::size_t element = collected.size() / static_cast<std::size_t>(blocks.elements);
  const std::size_t bytes = static_cast<std::size_t>(own.count) * element;
  std::vector<Stream> contributions;
  contributions.reserve(calls.size());
  std::vector<BlockCopy> copies;
  std::size_t at = static_cast<std::size_t>(blocks.first) * element;
  calls.for_each([&](const MemberCall& call) {
    const bool in_place = call.send == MPI_IN_PLACE;
    reject_aliases(call);
    contributions.push_back(in_place ? data(call, call.receive, blocks.elements)
                                     : data(call, call.send, call.count));
    contributions.back().load();
    if (!in_place || call.receive != own.receive || call.type != own.type)
      copies.push_back({&contributions.back(), in_place ? at : 0, &collected, at});
    at += bytes;
  });
  collected.load(); // because contributions with MPI_IN_PLACE are in it already
  run_copies(leader, copies, bytes);
  collected.store_back();
}

void carry_out_allgather(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_count(calls);
  if (!have_one_type(calls))
    agree(calls, element_bytes, [](const MemberCall& call) { return "datatype " + type_name(call.type); });
  reject_negative_count(own);
  const Blocks blocks(own, calls.size());
  const ResultCopies copies(own, calls, blocks.members);
  if (own.count > 0 && element_bytes(own) > 0) collect(leader, own, calls, blocks);
  const auto gather = function_for(own.comm, MPI_Allgatherv, PMPI_Allgatherv);
  check(gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, own.receive, blocks.counts.data(),
               blocks.displacements.data(), own.type, own.comm));
  copies.run(leader);
}

/// Combines elements [begin, end) of the members' contributions, lowest index first, into `result`, which may
/// be one of them. `scratch` holds two pieces of at least one element each.
void combine(const Reducer& reducer, std::span<const Stream> contributions, const Stream& result,
             std::size_t begin, std::size_t end, std::span<std::byte> scratch) {
  const std::size_t element = reducer.element();
  const std::size_t most = scratch.size() / 2 / element;
  std::byte* const partial = scratch.data();
  std::byte* const packed = partial + most * element;
  for (std::size_t first = begin; first < end; first += most) {
    const std::size_t count = std::min(most, end - first);
    const std::size_t from = first * element;
    const std::size_t to = from + count * element;
    std::array<const std::byte*, 2> operands{contributions.front().read(from, to, partial)};
    for (const Stream& contribution : contributions.subspan(1)) {
      operands[1] = contribution.read(from, to, packed);
      const bool last = &contribution == &contributions.back();
      std::byte* const out = last && result.is_dense() ? result.dense() + from : partial;
      reducer.reduce(operands, 0, count, out);
      operands[0] = out;
    }
    if (!result.is_dense()) result.unpack(from, to, partial);
  }
}

const std::byte* contribution(const MemberCall& call) noexcept {
  return static_cast<const std::byte*>(call.send == MPI_IN_PLACE ? call.receive : call.send);
}

/// Combines bytes [begin, end) of the contributions, if elements are contiguous in the members' buffers.
void combine_dense(const Reducer& reducer, MemberCalls calls, std::byte* result, std::size_t begin,
                   std::size_t end) noexcept {
  lifetime::ThreadBlock<pipeline::l1_block> partial;
  const std::size_t most = partial.size() / reducer.element() * reducer.element();
  for (std::size_t from = begin; from < end; from += most) {
    const std::size_t bytes = std::min(most, end - from);
    std::array<const std::byte*, 2> operands{contribution(calls.first()) + from};
    for (std::size_t member = 1; member < calls.size(); ++member) {
      operands[1] = contribution(calls[member]) + from;
      std::byte* const out = member + 1 == calls.size() ? result + from : partial.data();
      reducer.reduce(operands, 0, bytes / reducer.element(), out);
      operands[0] = out;
    }
  }
}

/// Copies the contribution of the only member of a team of one into `result`.
void copy_one(team::Member& leader, const MemberCall& own, MPI_Count count, const Stream& result) {
  reject_aliases(own);
  const Stream from = data(own, contribution(own), count);
  from.load();
  const BlockCopy copy{&from, 0, &result, 0};
  run_copies(leader, {&copy, 1}, from.size());
  result.store_back();
}

/// Returns the reducer of the elements; none if elements hold no data, or if MPI shall report an error.
std::optional<Reducer> reducer_for(const MemberCall& call) {
  std::optional<Reducer> reducer = Reducer::of(call.op, call.type);
  if (reducer) return reducer;
  if (ranks::own() == MPI_COMM_NULL) // a program that uses only sessions, before the library has begun
    throw Rejected(MPI_ERR_OP, "only predefined operations are known before there is a communicator of all");
  if (!ranks::valid_operation(call.op, call.type)) return std::nullopt;
  reducer = Reducer::by_mpi(call.op, call.type);
  return reducer->element() != 0 ? reducer : std::nullopt;
}

/// Returns what is known of a datatype's signature: the size of elements and the function that combines them.
std::pair<MPI_Count, reduction::Combine> signature(const MemberCall& call) {
  const auto kernel = reduction::find(call.op, call.type);
  return {element_bytes(call), kernel ? kernel->combine : nullptr};
}

/// Throws Rejected unless all members reduce equally many elements of one kind by one operation.
void agree_on_reduction(MemberCalls calls) {
  agree_on_count(calls);
  agree(calls, &MemberCall::op, [](const MemberCall& call) { return "op " + handle_text(call.op); });
  if (!have_one_type(calls))
    agree(calls, signature, [](const MemberCall& call) { return "datatype " + type_name(call.type); });
  reject_negative_count(calls.first());
}

/// Reduces `count` elements of each member into `result`, in the order of members. Copies if there is only
/// one member. Returns false if there is nothing to reduce, or if MPI shall report an error.
bool combine(team::Member& leader, const MemberCall& own, MemberCalls calls, MPI_Count count,
             const Stream& result) {
  if (calls.size() == 1) return copy_one(leader, own, count, result), true;
  const std::optional<Reducer> reducer = reducer_for(own);
  if (!reducer) return false;
  calls.for_each(reject_aliases);
  const auto elements = static_cast<std::size_t>(count);
  const std::size_t bytes = grain_for_all(elements * reducer->element(), calls.size());
  const std::size_t grain = std::max<std::size_t>(bytes / reducer->element(), 1);
  if (reducer->is_plain() && reducer->has_kernel() && !device::is_possible() && have_one_type(calls)) {
    calls.for_each([](const MemberCall& call) { reject_null(contribution(call)); });
    leader.run(trace::Stage::reduce, elements, grain, [&](std::size_t begin, std::size_t end) noexcept {
      combine_dense(*reducer, calls, result.dense(), begin * reducer->element(), end * reducer->element());
    });
    result.store_back();
    return true;
  }
  std::vector<Stream> contributions;
  contributions.reserve(calls.size());
  calls.for_each([&](const MemberCall& call) {
    contributions.push_back(data(call, contribution(call), count));
    contributions.back().load();
  });
  if (reducer->helpers_may()) {
    leader.run(trace::Stage::reduce, elements, grain, [&](std::size_t begin, std::size_t end) noexcept {
      lifetime::ThreadBlock<2 * pipeline::l1_block> scratch;
      combine(*reducer, contributions, result, begin, end, {scratch.data(), scratch.size()});
    });
  } else {
    std::vector<std::byte> scratch(2 * std::max(pipeline::l1_block, reducer->element()));
    combine(*reducer, contributions, result, 0, elements, scratch);
  }
  result.store_back();
  return true;
}

void carry_out_allreduce(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_reduction(calls);
  const ResultCopies copies(own, calls);

  // A rank makes one MPI call. All ranks pass MPI_IN_PLACE, or none does: quirk algorithm_by_in_place.
  const bool in_place = calls.size() == 1 && own.send == MPI_IN_PLACE;
  const bool combined =
      !in_place && own.count > 0 && combine(leader, own, calls, own.count, data(own, own.receive, own.count));
  const auto reduce = function_for(own.comm, MPI_Allreduce, PMPI_Allreduce);
  check(reduce(combined ? MPI_IN_PLACE : own.send, own.receive, own.count, own.type, own.op, own.comm));
  copies.run(leader);
}

/// Gives each member its block of the result for this rank.
void hand_out(team::Member& leader, const Stream& got, MemberCalls calls) {
  const std::size_t bytes = got.size() / calls.size();
  std::vector<Stream> targets;
  targets.reserve(calls.size());
  std::vector<BlockCopy> copies;
  calls.for_each([&](const MemberCall& call) {
    targets.push_back(data(call, call.receive, call.count));
    copies.push_back({&got, copies.size() * bytes, &targets.back(), 0});
  });
  got.load();
  run_copies(leader, copies, bytes);
  for (const Stream& target : targets) target.store_back();
}

void carry_out_reduce_scatter_block(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  agree_on_reduction(calls);
  const Blocks blocks(own, calls.size());
  const auto reduce = function_for(own.comm, MPI_Reduce_scatter, PMPI_Reduce_scatter);
  const bool is_alone = calls.size() == 1 && own.send != MPI_IN_PLACE; // larger teams never pass MPI_IN_PLACE
  if (is_alone || own.count == 0 || element_bytes(own) == 0) {
    check(reduce(own.send, own.receive, blocks.counts.data(), own.type, own.op, own.comm));
    return;
  }
  const auto share = static_cast<std::size_t>(own.count) * calls.size();
  const auto element = reduction::Bounds::of(own.type);
  const auto of_all = element.repeated(static_cast<std::size_t>(blocks.elements));
  const auto of_share = element.repeated(share);
  // Staging memory, so that the next call reuses its pages.
  const pipeline::Staging combined(static_cast<std::size_t>(of_all.span), 1);
  const pipeline::Staging reduced(static_cast<std::size_t>(of_share.span), 1);
  void* const base = combined[0] - of_all.lowest; // the address for MPI: data may begin before or after it
  void* const result = reduced[0] - of_share.lowest;
  combine(leader, own, calls, blocks.elements, data(own, base, blocks.elements));
  check(reduce(base, result, blocks.counts.data(), own.type, own.op, own.comm));
  hand_out(leader, data(own, result, static_cast<MPI_Count>(share)), calls);
}

} // namespace

const HybridOperation barrier{"MPIX_Helper_barrier", [](team::Member&, const MemberCall& own, MemberCalls) {
                                check(function_for(own.comm, MPI_Barrier, PMPI_Barrier)(own.comm));
                              }};
const HybridOperation bcast{"MPIX_Helper_bcast", carry_out_bcast};
const HybridOperation allgather{"MPIX_Helper_allgather", carry_out_allgather};
const HybridOperation allreduce{"MPIX_Helper_allreduce", carry_out_allreduce};
const HybridOperation reduce_scatter_block{"MPIX_Helper_reduce_scatter_block",
                                           carry_out_reduce_scatter_block};

} // namespace helper::hybrid
