// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/shared_operation.hpp"

namespace helper::collective {

SharedOperation::~SharedOperation() {
  if (finished_) return;
  shadow_.give_up();
  const auto is_through = [&](int rank) {
    return shadow_.gave_up(rank) || frame(static_cast<std::size_t>(rank)).finished.load() >= number_;
  };
  member_.lend_until(
      [&] {
        shadow_.sweep();
        for (int rank = 0; rank < shadow_.size(); ++rank) {
          if (!is_through(rank)) return false;
        }
        return true;
      },
      [&] { return pipeline::describe(name_, shadow_); });
}

template <class Done>
void SharedOperation::wait(const Done& done) const {
  member_.lend_until(
      done, [&] { return pipeline::describe(name_, shadow_); }, team::Woken::perhaps,
      [&] { shadow_.check_peers(); });
}

std::byte* SharedOperation::own_board() {
  wait([this] { return window_.all_finished(number_ - slots); });
  return window_.own().slots[number_ % slots].much.data();
}

void SharedOperation::show(std::size_t mark, std::uint64_t step) noexcept {
  window_.own().marks[mark].value.store(value(step), std::memory_order_release); // pairs with await()
  ring();
}

void SharedOperation::ring() const noexcept {
  for (int rank = 0; rank < shadow_.size(); ++rank) {
    if (rank != shadow_.rank()) shadow_.ring(rank);
  }
}

void SharedOperation::await(pipeline::Lane& lane, std::size_t rank, std::size_t mark,
                            std::uint64_t step) const {
  lane.await(frame(rank).marks[mark].value, value(step));
}

void SharedOperation::await_all(std::size_t mark, std::uint64_t step) const {
  std::size_t rank = 0; // those before it have come
  const auto ranks = static_cast<std::size_t>(shadow_.size());
  wait([&] {
    while (rank < ranks && frame(rank).marks[mark].value.load(std::memory_order_acquire) >= value(step))
      ++rank;
    return rank == ranks;
  });
}

void SharedOperation::await(std::size_t rank, std::size_t mark, std::uint64_t step) const {
  const std::atomic<std::uint64_t>& shown = frame(rank).marks[mark].value;
  wait([&] { return shown.load(std::memory_order_acquire) >= value(step); }); // pairs with show()
}

void SharedOperation::finish() {
  say_finished();
  wait([&] { return window_.all_finished(number_); });
  finished_ = true;
}

void SharedOperation::finish(std::span<const std::size_t> peers) {
  say_finished();
  for (const std::size_t peer : peers) {
    const std::atomic<std::uint64_t>& finished = frame(peer).finished;
    wait([&] { return finished.load(std::memory_order_acquire) >= number_; }); // pairs with Window::finish()
  }
  finished_ = true;
}

void SharedOperation::say_finished() noexcept {
  window_.finish(number_);
  ring();
}

} // namespace helper::collective
