// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/openmp_thread.hpp"

#include <chrono>
#include <new>
#include <utility>

#include "lifetime/at_end.hpp"
#include "team/registry.hpp"

namespace helper::team {

namespace {

/// A set of addresses that only grows, and refuses more when nearly full. Any thread may call its functions.
class AddressSet {
public:
  bool has(const void* place) const noexcept {
    for (std::size_t step = 0; step < most_steps; ++step) {
      const void* const found = places_[slot(place, step)].load(std::memory_order_relaxed);
      if (found == place || found == nullptr) return found != nullptr;
    }
    return false;
  }

  void add(const void* place) noexcept {
    for (std::size_t step = 0; step < most_steps; ++step) {
      const void* found = nullptr;
      if (places_[slot(place, step)].compare_exchange_strong(found, place, std::memory_order_relaxed) ||
          found == place)
        return;
    }
  }

private:
  static constexpr int bits = 8;
  static constexpr std::size_t most_steps = 8;

  static std::size_t slot(const void* place, std::size_t step) noexcept {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
    const std::size_t first = reinterpret_cast<std::uintptr_t>(place) * golden >> (64 - bits);
    return (first + step) % (std::size_t{1} << bits);
  }

  // Each is written once, and orders no other memory.
  std::array<std::atomic<const void*>, std::size_t{1} << bits> places_{};
};

// What the threads of the process share.
constinit struct {
  // The places of barriers that a thread has reached after an MPI call, with no barrier in between.
  AddressSet known_barriers;
  // The team for which threads at barriers work, or nullptr. Release and acquire: a thread that sees the team
  // sees `most` and `patience`.
  std::atomic<Team*> team_to_help{nullptr};
  std::atomic<int> most{0};
  std::atomic<Doorbell::Clock::duration> patience{};
  // The list of objects, newest first, which only grows. Release and acquire: found objects are constructed.
  std::atomic<OpenmpThread*> newest{nullptr};
  // Threads often write the next two, so each has a cache line. This one counts arrivals at barriers after
  // MPI calls. Release and acquire: a thread that reads the count sees each arrival's barrier_after_call_.
  alignas(64) std::atomic<std::uint64_t> arrivals_from_calls{0};
  // How many threads work at barriers. Task creation wakes them. A hint: each also looks for tasks every ms.
  alignas(64) std::atomic<int> waiting{0};
} shared;

} // namespace

OpenmpThread* OpenmpThread::own() noexcept {
  static thread_local constinit OpenmpThread* self = nullptr;
  if (self != nullptr) [[likely]]
    return self;
  static thread_local constinit bool has_ended = false; // events may still follow
  if (has_ended) return nullptr;
  static thread_local const lifetime::AtEnd at_the_end([]() noexcept {
    has_ended = true;
    if (self == nullptr) return;
    self->depth_ = 0;
    self->show();
    std::exchange(self, nullptr)->is_held_.store(false, std::memory_order_release);
  });
  static_cast<void>(at_the_end);
  for (OpenmpThread* other = shared.newest.load(std::memory_order_acquire); other != nullptr;
       other = other->older_) {
    bool held = false;
    // The acquire pairs with the release above: this thread sees what the object's former thread did.
    if (other->is_held_.compare_exchange_strong(held, true, std::memory_order_acquire,
                                                std::memory_order_relaxed))
      return self = other;
  }
  self = new (std::nothrow) OpenmpThread;
  if (self == nullptr) return nullptr;
  self->older_ = shared.newest.load(std::memory_order_relaxed);
  while (!shared.newest.compare_exchange_weak(self->older_, self, std::memory_order_release,
                                              std::memory_order_relaxed)) {
  }
  return self;
}

void OpenmpThread::start(Team& team, int most_threads, Doorbell::Clock::duration at_most) noexcept {
  shared.most.store(most_threads, std::memory_order_relaxed);
  shared.patience.store(at_most, std::memory_order_relaxed);
  shared.team_to_help.store(&team, std::memory_order_release);
}

void OpenmpThread::stop() noexcept {
  shared.team_to_help.store(nullptr, std::memory_order_relaxed);
}

void OpenmpThread::begins(const void* region, int threads, int index) noexcept {
  if (index != 0) depth_ = 0; // the thread was idle: ends() may be missing for earlier regions
  if (depth_ < most_levels) levels_[depth_] = {.region = region, .threads = threads};
  ++depth_;
  show();
}

void OpenmpThread::ends() noexcept {
  if (depth_ != 0) --depth_;
  show();
}

/// Shows the other threads the state of the innermost region.
void OpenmpThread::show() noexcept {
  const Level level = is_known() ? here() : Level{};
  progress_.store(level.progress(), std::memory_order_relaxed);
  barrier_for_tasks_.store(level.barrier_for_tasks, std::memory_order_relaxed);
  barrier_after_call_.store(level.barrier_after_call, std::memory_order_relaxed);
  region_.store(level.region, std::memory_order_release);
}

void OpenmpThread::creates_task() noexcept {
  if (!is_known() || here().barrier_for_tasks == here().barriers + 1) return;
  here().barrier_for_tasks = here().barriers + 1;
  barrier_for_tasks_.store(here().barrier_for_tasks, std::memory_order_relaxed);
  if (shared.waiting.load(std::memory_order_relaxed) == 0) return;
  if (Team* const team = shared.team_to_help.load(std::memory_order_acquire)) team->ring_all();
}

void OpenmpThread::comes_to_barrier(const void* place) noexcept {
  if (!is_known()) return;
  Level& level = here();
  ++level.barriers;
  progress_.store(level.progress(), std::memory_order_relaxed);
  const void* const place_before = std::exchange(level.place, place);
  Team* const team = shared.team_to_help.load(std::memory_order_acquire);
  if (team == nullptr || level.is_in_call) return; // in a function of the program that MPI has called
  learn(place_before);
  if (level.has_called) {
    shared.known_barriers.add(place);
    level.barrier_after_call = level.barriers;
    barrier_after_call_.store(level.barriers, std::memory_order_relaxed);
    shared.arrivals_from_calls.fetch_add(1, std::memory_order_release);
  }
  level.has_called = false;
  if (level.threads > 1 && level.threads <= shared.most.load(std::memory_order_relaxed) &&
      shared.known_barriers.has(place))
    wait(*team);
}

/// If another thread of the region has come to this barrier from an MPI call, adds this barrier's place to
/// the known barriers. Does the same for the previous barrier, whose place is `place_before`. Looks at other
/// threads only if arrivals_from_calls has changed since the last look.
void OpenmpThread::learn(const void* place_before) noexcept {
  const std::uint64_t arrivals = shared.arrivals_from_calls.load(std::memory_order_acquire);
  if (std::exchange(arrivals_seen_, arrivals) == arrivals) return;
  const Level& level = here();
  for (const OpenmpThread* other = shared.newest.load(std::memory_order_acquire); other != nullptr;
       other = other->older_) {
    if (other->region_.load(std::memory_order_acquire) != level.region) continue;
    const std::uint64_t barrier = other->barrier_after_call_.load(std::memory_order_relaxed);
    if (barrier == level.barriers) shared.known_barriers.add(level.place);
    if (barrier == level.barriers - 1) shared.known_barriers.add(place_before);
  }
}

void OpenmpThread::wait(Team& team) noexcept {
  using Clock = Doorbell::Clock;
  constexpr auto nap = std::chrono::milliseconds(1); // between looks of a thread that nobody rings for
  if (others() == Others::nothing) return team.ring_all();
  try {
    if (place_ == nullptr) place_ = &team.add();
  } catch (const std::bad_alloc&) {
    return;
  }
  const auto time = shared.patience.load(std::memory_order_relaxed);
  auto until = Clock::now() + time;
  const auto is_over = [&] {
    const Others found = others();
    if (found == Others::call) until = Clock::now() + time;
    return found == Others::nothing || (found == Others::compute && Clock::now() >= until);
  };
  const Oversubscription::CountedThreads counted(uncounted());
  team.add_guests(1);
  const lifetime::AtEnd gone([&] { team.add_guests(-1); });
  shared.waiting.fetch_add(1, std::memory_order_relaxed);
  team.serve(*place_, is_over, nap);
  shared.waiting.fetch_sub(1, std::memory_order_relaxed);
  if (place_->track() != nullptr) place_->track()->work_begins(); // waiting does not count as recorded work
}

/// Looks for threads of the region that have come to fewer barriers than this thread. A former region may
/// have had the same address. So a thread that has not begun this region yet may seem to have come to the
/// barrier. That is harmless: this thread only stops working for the team too early.
OpenmpThread::Others OpenmpThread::others() const noexcept {
  const Level& level = here();
  int present = 0;
  bool calls = false;
  for (const OpenmpThread* other = shared.newest.load(std::memory_order_acquire); other != nullptr;
       other = other->older_) {
    if (other->region_.load(std::memory_order_acquire) != level.region) continue;
    if (other->barrier_for_tasks_.load(std::memory_order_relaxed) == level.barriers) return Others::nothing;
    const std::uint64_t progress = other->progress_.load(std::memory_order_acquire);
    if (progress / 2 >= level.barriers)
      ++present;
    else if (progress % 2 != 0)
      calls = true;
  }
  if (present >= level.threads) return Others::nothing;
  return calls ? Others::call : Others::compute;
}

void OpenmpThread::begins_call() noexcept {
  here().is_in_call = here().has_called = true;
  // The release pairs with the acquire in others(): a thread that sees this call sees what preceded it.
  progress_.store(here().progress(), std::memory_order_release);
}

void OpenmpThread::ends_call() noexcept {
  here().is_in_call = false;
  progress_.store(here().progress(), std::memory_order_relaxed);
}

} // namespace helper::team
