// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "lifetime/thread_block.hpp"
#include "pipeline/lane.hpp"
#include "ranks/arguments.hpp"
#include "ranks/communicator.hpp"
#include "reduction/reducer.hpp"

namespace helper::hybrid {

using pipeline::Stream;
using reduction::Reducer;

namespace {

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

/// Copies the contribution of the only member.
void copy_one(team::Member& leader, const MemberCall& own, MPI_Count count, const Stream& result) {
  reject_aliases(own);
  const Stream from = data(own, contribution(own), count);
  from.load();
  const BlockCopy copy{&from, 0, &result, 0};
  run_copies(leader, {&copy, 1}, from.size());
  result.store_back();
}

/// Returns the reducer of the elements; none if they hold no data, or if MPI shall report the error.
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

} // namespace

void agree_on_reduction(MemberCalls calls) {
  agree_on_count(calls);
  agree(calls, &MemberCall::op, [](const MemberCall& call) { return "op " + handle_text(call.op); });
  if (!have_one_type(calls))
    agree(calls, signature, [](const MemberCall& call) { return "datatype " + type_name(call.type); });
  reject_negative_count(calls.first());
}

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
    std::vector<const std::byte*> operands;
    operands.reserve(calls.size());
    calls.for_each([&](const MemberCall& call) {
      reject_null(contribution(call));
      operands.push_back(contribution(call));
    });
    leader.run(trace::Stage::reduce, elements, grain, [&](std::size_t begin, std::size_t end) noexcept {
      reducer->reduce(operands, begin, end, result.dense());
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

} // namespace helper::hybrid
