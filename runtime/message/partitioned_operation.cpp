// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/partitioned_operation.hpp"

#ifdef MPI_HELPER_PARTITIONED

#include <mutex>
#include <set>

#include "lifetime/never_destroyed.hpp"
#include "message/deferred_sends.hpp"
#include "message/wait.hpp"
#include "pipeline/lane.hpp"
#include "ranks/request.hpp"
#include "team/registry.hpp"

namespace helper::message::partitioned {

namespace {

/// The first tags that requests have leased.
struct LeasedTags {
  std::mutex mutex; // guards the rest
  std::set<int> firsts;
  std::uint32_t next = 0;
};

constexpr auto& leased = lifetime::sole<LeasedTags>;

} // namespace

bool Partitions::lease_tags() {
  const std::uint32_t ranges = tags::others() / most_units;
  const std::lock_guard lock(leased().mutex);
  if (leased().firsts.size() >= ranges) return false;
  do {
    first_tag = tags::first_for_units() + static_cast<int>(leased().next++ % ranges) * most_units;
  } while (!leased().firsts.insert(first_tag).second);
  return true;
}

Partitions::~Partitions() {
  if (first_tag == 0) return;
  const std::lock_guard lock(leased().mutex);
  leased().firsts.erase(first_tag);
}

/// Completes the request of a unit if it has finished, and returns whether it has. The request may have an
/// operation. `is_unheard`: MPI reports no error of the request.
bool PartitionedOperation::is_over(team::Member& member, Unit& unit, bool is_unheard) noexcept {
  if (const auto operation = requests::find(&unit.request)) {
    bool has_thrown = false;
    try {
      operation->carry_on_unpolled(member);
    } catch (...) {
      has_thrown = true;
    }
    if (!operation->complete()) return false;
    requests::forget(*operation);
    const Code code = operation->finish_quietly(unit.request);
    unit.failed = code.code;
    note({code.code, code.is_own || is_unheard || has_thrown});
    return true;
  }
  const bool over = ranks::over(unit.request, unit.failed);
  note({unit.failed, is_unheard});
  return over;
}

bool PartitionedOperation::step(team::Member& member) noexcept {
  const ErrorsReturn errors(ranks::world::comm());
  bool has_done = false;
  bool are_over = true;
  for (std::size_t index = 0; index < units_.size(); ++index) {
    Unit& unit = units_[index];
    const Unit::UnitState state = unit.state.load(std::memory_order_acquire);
    if (state == Unit::UnitState::over) continue;
    if (state == Unit::UnitState::waiting || !is_over(member, unit, errors.is_set())) {
      are_over = false;
      continue;
    }
    arrived(member, unit, index);
    unit.state.store(Unit::UnitState::over, std::memory_order_release);
    has_done = true;
  }
  if (are_over) set_complete();
  return has_done;
}

void PartitionedSend::set_ready(team::Member& member, int partition) {
  std::atomic<bool>& is_ready = are_ready_[static_cast<std::size_t>(partition)];
  if (is_ready.exchange(true, std::memory_order_relaxed)) return; // quirk partition_ready_twice
  const auto index = static_cast<std::size_t>(partition / group_);
  Unit& unit = units_[index];
  if (unit.not_ready.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const int code = code_of([&] {
    const ErrorsReturn errors(ranks::world::comm()); // not every error here names a communicator
    return ranks::charged_to(ranks::unnamed_comm(), [&] { return send(member, index); });
  });
  if (code == MPI_SUCCESS) return unit.state.store(Unit::UnitState::started, std::memory_order_release);
  unit.not_ready.store(1, std::memory_order_release);
  is_ready.store(false, std::memory_order_relaxed);
  throw ranks::MpiError(ranks::unnamed_comm(), code);
}

int PartitionedSend::send(team::Member& member, std::size_t index) {
  MPI_Request& request = units_[index].request;
  const auto message =
      what_->message(first(index) * what_->count, (last(index) - first(index)) * what_->count, tag(index));
  const int code = start_send(member, message, &request);
  // Outside phases nobody would rescue the message before a call that blocks in MPI.
  if (const auto sent = &member == &team::alone() ? requests::find(&request) : nullptr) sent->rescue();
  return code;
}

PartitionedReceive::PartitionedReceive(std::shared_ptr<const Partitions> what,
                                       const PartitionedAgreement& agreed)
    : PartitionedOperation(std::move(what), agreed), fits_(agreed.bytes == what_->bytes()) {
  if (fits_ && agreed.unit % what_->element == 0) return;
  staging_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(agreed.bytes));
  if (fits_)
    data_.emplace(const_cast<void*>(what_->buffer), what_->number * what_->count, *what_->type);
  else
    note({MPI_ERR_OTHER, true});
}

void PartitionedReceive::post() noexcept {
  for (std::size_t index = 0; index < units_.size(); ++index) {
    Unit& unit = units_[index];
    const MPI_Count bytes = end(index) - begin(index);
    const PointToPoint message =
        staging_ != nullptr
            ? PointToPoint{staging_.get() + begin(index), bytes, MPI_BYTE, what_->peer, tag(index),
                           ranks::world::comm()}
            : what_->message(begin(index) / what_->element, bytes / what_->element, tag(index));
    unit.failed = code_of([&] {
      return ranks::charged_to(ranks::unnamed_comm(), [&] { return start_receive(message, &unit.request); });
    });
    note({unit.failed, true});
    const bool is_posted = unit.failed == MPI_SUCCESS;
    if (!is_posted) what_->is_broken.store(true, std::memory_order_relaxed);
    unit.state.store(is_posted ? Unit::UnitState::started : Unit::UnitState::over, std::memory_order_relaxed);
  }
}

bool PartitionedReceive::has_arrived(int partition) const noexcept {
  if (!fits_) return false;
  if (is_unpacked_at_end()) return complete() && error_.code == MPI_SUCCESS;
  const MPI_Count each = what_->count * what_->element;
  for (MPI_Count at = partition * each / agreed_.unit; at * agreed_.unit < (partition + 1) * each; ++at) {
    const Unit& unit = units_[static_cast<std::size_t>(at)];
    if (unit.state.load(std::memory_order_acquire) != Unit::UnitState::over || unit.failed != MPI_SUCCESS)
      return false;
  }
  return true;
}

Code PartitionedReceive::result(MPI_Status& status) {
  status.MPI_SOURCE = what_->rank;
  status.MPI_TAG = what_->tag;
  PMPI_Status_set_elements_x(&status, MPI_BYTE, agreed_.bytes);
  PMPI_Status_set_cancelled(&status, 0);
  return error_;
}

void PartitionedReceive::arrived(team::Member& member, Unit& unit, std::size_t index) noexcept {
  if (unit.request != MPI_REQUEST_NULL) what_->is_broken.store(true, std::memory_order_relaxed);
  if (!data_ || unit.failed != MPI_SUCCESS) return;
  const auto all = static_cast<std::size_t>(agreed_.bytes);
  if (is_unpacked_at_end()) {
    if (++have_arrived_ == units_.size()) note({data_->store({staging_.get(), all}), true});
    return;
  }
  const auto from = static_cast<std::size_t>(begin(index));
  member.run(trace::Stage::unpack, static_cast<std::size_t>(end(index)) - from, pipeline::grain,
             [&](std::size_t first, std::size_t last) noexcept {
               data_->unpack(from + first, from + last, staging_.get() + from + first);
             });
}

} // namespace helper::message::partitioned

#endif
