// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/shared_operation.hpp"

#include <algorithm>

namespace helper::collective {

void SharedOperation::give_up() noexcept {
  shadow_.failure().give_up();
  const auto is_through = [&](int rank) {
    return shadow_.failure().gave_up(rank) ||
           block(static_cast<std::size_t>(rank)).finished.load() >= number_;
  };
  member_.lend_until(
      [&] {
        shadow_.failure().sweep();
        for (int rank = 0; rank < shadow_.size(); ++rank) {
          if (!is_through(rank)) return false;
        }
        return true;
      },
      [&] { return transport::describe_stall(name_, shadow_.user(), shadow_.name()); }, team::Woken::by_mpi);
}

std::byte* SharedOperation::own_payload() {
  await([this] { return control_.all_finished(number_ - control_.remain(payload_bytes)); });
  return control_.own().payload(number_);
}

void SharedOperation::show(std::size_t flag, std::uint64_t step) noexcept {
  show_silently(flag, step);
  wake_all();
}

void SharedOperation::show_silently(std::size_t flag, std::uint64_t step) noexcept {
  control_.own().flags[flag].value.store(value(step), std::memory_order_release); // pairs with step()
}

std::uint64_t SharedOperation::step(std::size_t rank, std::size_t flag) const noexcept {
  const std::uint64_t shown =
      block(rank).flags[flag].value.load(std::memory_order_acquire); // pairs with show_silently()
  if (shown < value(0)) return 0;
  return std::min(shown - value(0), most_steps); // the rank may be at a later operation
}

void SharedOperation::wake_all() const noexcept {
  for (int rank = 0; rank < shadow_.size(); ++rank) {
    if (rank != shadow_.rank()) shadow_.ring(rank);
  }
}

void SharedOperation::await(pipeline::Lane& lane, std::size_t rank, std::size_t flag,
                            std::uint64_t step) const {
  lane.await(block(rank).flags[flag].value, value(step));
}

void SharedOperation::await_all(std::size_t flag, std::uint64_t awaited) {
  std::size_t rank = 0; // lower ranks have reached the step
  const auto ranks = static_cast<std::size_t>(shadow_.size());
  await([&] {
    while (rank < ranks && step(rank, flag) >= awaited) ++rank;
    return rank == ranks;
  });
}

void SharedOperation::await(std::size_t rank, std::size_t flag, std::uint64_t awaited) const {
  await([&] { return step(rank, flag) >= awaited; });
}

void SharedOperation::finish() {
  say_finished();
  await([&] { return control_.all_finished(number_); });
  finished_ = true;
}

void SharedOperation::finish(std::span<const std::size_t> peers) {
  say_finished();
  for (const std::size_t peer : peers) {
    const std::atomic<std::uint64_t>& finished = block(peer).finished;
    await([&] {
      return finished.load(std::memory_order_acquire) >= number_;
    }); // pairs with CommControl::finish()
  }
  finished_ = true;
}

void SharedOperation::leave() noexcept {
  control_.finish(number_);
  // With this fence, if two ranks read each other's `finished`, at least one sees the other's new value.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (control_.all_finished(number_)) wake_all();
  finished_ = true;
}

void SharedOperation::say_finished() noexcept {
  control_.finish(number_);
  wake_all();
}

} // namespace helper::collective
