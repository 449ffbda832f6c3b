// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/partitioned_operation.hpp"

#include "message/wait.hpp"
#include "team/registry.hpp"
#include "transport/request.hpp"

namespace helper::message::partitioned {

/// Whether a unit's request, which may have an operation, is over; then it has been completed.
bool PartitionedOperation::is_over(team::Member& member, MPI_Request& request) noexcept {
  const ErrorsReturn errors(transport::world::comm());
  if (const auto operation = requests::find(&request)) {
    if (!operation->carry_on(member)) return false;
    MPI_Status status;
    requests::forget(request, *operation);
    const Code code = operation->finish(request, status);
    note({code.code, code.is_own || errors.is_set()});
    return true;
  }
  int failed = error().code;
  const bool over = transport::over(request, failed);
  note({failed, errors.is_set()});
  return over;
}

bool PartitionedOperation::step(team::Member& member) noexcept {
  bool has_done = false;
  bool are_over = true;
  for (std::size_t index = 0; index < units_.size(); ++index) {
    Unit& unit = units_[index];
    const Unit::State state = unit.state.load(std::memory_order_acquire);
    if (state == Unit::State::over) continue;
    if (state == Unit::State::waiting || !is_over(member, unit.request)) {
      are_over = false;
      continue;
    }
    arrived(member, index);
    unit.state.store(Unit::State::over, std::memory_order_release);
    has_done = true;
  }
  if (are_over) set_complete();
  return has_done;
}

void PartitionedSend::set_ready(team::Member& member, int low, int high) {
  if (low < 0 || low > high || high >= what_.number)
    throw transport::MpiError(transport::unnamed_comm(), MPI_ERR_OTHER);
  for (int partition = low; partition <= high; ++partition)
    set_ready(member, static_cast<std::size_t>(partition));
}

void PartitionedSend::set_ready(team::Member& member, std::size_t partition) {
  if (are_ready_[partition].exchange(true, std::memory_order_relaxed)) return; // as MPICH does
  const std::size_t index = partition / static_cast<std::size_t>(group_);
  if (units_[index].not_ready.fetch_sub(1, std::memory_order_acq_rel) == 1) send(member, index);
}

void PartitionedSend::send(team::Member& member, std::size_t index) {
  Unit& unit = units_[index];
  const auto message =
      what_.message(first(index) * what_.count, (last(index) - first(index)) * what_.count, tag(index));
  start(unit, [&] {
    const int code = start_send(member, message, &unit.request);
    // Outside of phases nobody would rescue it before a call that blocks in MPI.
    if (const auto sent = &member == &team::alone() ? requests::find(&unit.request) : nullptr) sent->rescue();
    return code;
  });
}

PartitionedReceive::PartitionedReceive(const Partitions& what, const Agreement& agreed)
    : PartitionedOperation(what, agreed), fits_(agreed.bytes == what.bytes()) {
  if (fits_ && agreed.unit % what.element == 0) return;
  staging_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(agreed.bytes));
  if (fits_)
    data_.emplace(const_cast<void*>(what.buffer), what.number * what.count, *what.type);
  else
    note({MPI_ERR_OTHER, true});
}

void PartitionedReceive::post() {
  for (std::size_t index = 0; index < units_.size(); ++index) {
    const MPI_Count bytes = end(index) - begin(index);
    const PointToPoint message =
        staging_ != nullptr
            ? PointToPoint{staging_.get() + begin(index), bytes, MPI_BYTE, what_.peer, tag(index),
                           transport::world::comm()}
            : what_.message(begin(index) / what_.element, bytes / what_.element, tag(index));
    start(units_[index], [&] { return start_receive(message, &units_[index].request); });
  }
}

bool PartitionedReceive::has_arrived(int partition) const {
  if (partition < 0 || partition >= what_.number)
    throw transport::MpiError(transport::unnamed_comm(), MPI_ERR_OTHER);
  if (complete()) return true;
  if (!fits_ || is_unpacked_at_end()) return false;
  const MPI_Count each = what_.count * what_.element;
  for (MPI_Count at = partition * each / agreed_.unit; at * agreed_.unit < (partition + 1) * each; ++at) {
    if (units_[static_cast<std::size_t>(at)].state.load(std::memory_order_acquire) != Unit::State::over)
      return false;
  }
  return true;
}

Code PartitionedReceive::result(MPI_Status& status) {
  status.MPI_SOURCE = what_.rank;
  status.MPI_TAG = what_.tag;
  PMPI_Status_set_elements_x(&status, MPI_BYTE, agreed_.bytes);
  PMPI_Status_set_cancelled(&status, 0);
  return error();
}

void PartitionedReceive::arrived(team::Member& member, std::size_t index) noexcept {
  if (!data_ || error().code != MPI_SUCCESS) return;
  const auto all = static_cast<std::size_t>(agreed_.bytes);
  if (is_unpacked_at_end()) {
    if (++have_arrived_ == units_.size()) note({data_->store({staging_.get(), all}), true});
    return;
  }
  constexpr std::size_t grain = std::size_t{32} * 1024;
  const auto from = static_cast<std::size_t>(begin(index));
  member.run(trace::Stage::unpack, static_cast<std::size_t>(end(index)) - from, grain,
             [&](std::size_t first, std::size_t last) noexcept {
               data_->unpack(from + first, from + last, staging_.get() + from + first);
             });
}

} // namespace helper::message::partitioned
