// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Runs schedules on small data, one step after the other, without pieces, lanes and the team.

#include <array>
#include <cstring>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/scheduled.hpp"
#include "lifetime/thread_block.hpp"
#include "transport/message.hpp"

namespace helper::collective {

namespace {

/// Sends blocks of `block` bytes from `out`, and receives others to `in`, at the same time.
void transfer(const ScheduledOperation& operation, const ScheduleStep& step, const std::byte* out,
              std::byte* in, std::size_t block) {
  const Shadow& shadow = operation.shadow;
  trace::Track* const track = operation.member.track();
  std::array<transport::Message, 2> messages{};
  transport::Message& incoming = messages[0];
  transport::Message& outgoing = messages[1];
  const int label = tag(operation.message, 0);
  trace::Transit sending(trace::Stage::send);
  trace::Transit receiving(trace::Stage::receive);
  try {
    if (step.in.count != 0) {
      const std::size_t bytes = step.in.count * block;
      transport::receive(incoming, shadow, in, static_cast<MPI_Count>(bytes), MPI_BYTE,
                         static_cast<int>(step.from), label);
      receiving.add(track, bytes);
    }
    if (step.out.count != 0) {
      const std::size_t bytes = step.out.count * block;
      transport::send(outgoing, shadow, out, static_cast<MPI_Count>(bytes), MPI_BYTE,
                      static_cast<int>(step.to), label);
      sending.add(track, bytes);
    }
    const auto are_settled = [&] {
      const bool sent = transport::settled(outgoing, shadow); // as in Lane::settled()
      return transport::settled(incoming, shadow) && sent;
    };
    pipeline::wait_until(
        [&] {
          return team::Oversubscription::by_threads() ? are_settled() : transport::poll_in_a_row(are_settled);
        },
        operation.name, operation.member, shadow, team::Woken::perhaps);
    receiving.arrived(track);
    sending.arrived(track);
  } catch (...) {
    transport::abandon(messages, shadow, operation.member);
    throw;
  }
}

bool overlap(const BlockRun& left, const BlockRun& right) noexcept {
  return left.first < right.first + right.count && right.first < left.first + left.count;
}

} // namespace

const std::byte* ScheduledOperation::run_short(const BlockBuffers& buffers, std::size_t block) const {
  const std::byte* made = buffers.contributed;
  for (const ScheduleStep& step : schedule.steps()) {
    const bool is_stored = step.arrival == ScheduleStep::Arrival::stored;
    const std::size_t at = step.in.first * block, bytes = step.in.count * block;
    const bool is_direct = is_stored && !overlap(step.in, step.out);
    transfer(*this, step, made + step.out.first * block, is_direct ? buffers.partial + at : buffers.arrived,
             block);
    if (step.in.count == 0) continue;
    if (!is_stored) {
      std::array operands{made + at, static_cast<const std::byte*>(buffers.arrived)};
      if (step.from < schedule.rank()) std::swap(operands[0], operands[1]);
      reducer->reduce(operands, 0, bytes / reducer->element(), buffers.partial + at);
    } else if (!is_direct && bytes != 0) { // a barrier has no buffers
      std::memcpy(buffers.partial + at, buffers.arrived, bytes);
    }
    made = buffers.partial;
  }
  return made;
}

void reduce_short(const Reduction& reduction, const Schedule& schedule, const Stream& from, const Stream* to,
                  std::size_t first) {
  lifetime::ThreadBlock<short_most> partial, arrived;
  if (!from.is_dense()) from.pack(0, from.size(), partial.data());
  const auto operation = ScheduledOperation::of(reduction, schedule, MessageKind::partial);
  const std::byte* const made =
      operation.run_short({.contributed = from.is_dense() ? from.dense() : partial.data(),
                           .partial = partial.data(),
                           .arrived = arrived.data()},
                          from.size());
  if (to != nullptr && to->size() != 0) to->unpack(0, to->size(), made + first);
}

} // namespace helper::collective
