// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/openmp_thread.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace helper::team {

namespace {

/// This is a set of addresses that only grows, and takes no more when it is nearly full. Any thread may call
/// its functions.
class Places {
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

  // Each is written once, and says nothing of other memory.
  std::array<std::atomic<const void*>, std::size_t{1} << bits> places_{};
};

// These are barriers to which threads came from an MPI call.
constinit Places known_barriers;

// It is nullptr while nobody works. The order is release and acquire: who finds the team finds `most`, too.
constinit std::atomic<Team*> team_to_help{nullptr};
constinit std::atomic<int> most{0};

// It counts the threads that work for the team at a barrier, which must be told of tasks: who creates one
// first writes that, and then looks here; who works is counted here first, and then looks for tasks. All that
// is sequentially consistent, so one of the two sees the other.
constinit std::atomic<int> serving{0};

// The threads form a list, newest first, that only grows. The order is release and acquire: who finds one
// finds it constructed.
constinit std::atomic<OpenmpThread*> newest{nullptr};

} // namespace

OpenmpThread* OpenmpThread::own() noexcept {
  static thread_local constinit OpenmpThread* self = nullptr;
  if (self != nullptr) [[likely]]
    return self;
  static thread_local constinit bool has_ended = false; // the runtime may speak of the thread even then
  struct Release {
    ~Release() {
      has_ended = true;
      if (self == nullptr) return;
      self->depth_ = 0;
      self->show();
      std::exchange(self, nullptr)->is_held_.store(false, std::memory_order_release);
    }
  };
  if (has_ended) return nullptr;
  static thread_local const Release at_the_end;
  static_cast<void>(at_the_end);
  for (OpenmpThread* other = newest.load(std::memory_order_acquire); other != nullptr;
       other = other->older_) {
    bool held = false;
    // The acquire pairs with the release above: the new thread continues where the old one stopped.
    if (other->is_held_.compare_exchange_strong(held, true, std::memory_order_acquire,
                                                std::memory_order_relaxed))
      return self = other;
  }
  self = new (std::nothrow) OpenmpThread;
  if (self == nullptr) return nullptr;
  self->older_ = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(self->older_, self, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
  return self;
}

void OpenmpThread::start(Team& team, int most_threads) noexcept {
  most.store(most_threads, std::memory_order_relaxed);
  team_to_help.store(&team, std::memory_order_release);
}

void OpenmpThread::stop() noexcept {
  team_to_help.store(nullptr, std::memory_order_relaxed);
}

void OpenmpThread::begins(const void* region, const void* task, int threads) noexcept {
  leave(task);
  if (depth_ < most_levels) levels_[depth_] = {.region = region, .task = task, .threads = threads};
  ++depth_;
  show();
}

void OpenmpThread::ends(const void* task) noexcept {
  if (!leave(task) && depth_ > most_levels) --depth_;
  show();
}

/// Leaves the region of this implicit task, and those within, whose ends may not have been told; false if it
/// is in no such region that is known.
bool OpenmpThread::leave(const void* task) noexcept {
  const auto known = levels_.begin() + static_cast<std::ptrdiff_t>(std::min(depth_, most_levels));
  const auto found = std::ranges::find(levels_.begin(), known, task, &Level::task);
  if (found == known) return false;
  depth_ = static_cast<std::size_t>(found - levels_.begin());
  return true;
}

/// Shows the others what has become of the innermost region.
void OpenmpThread::show() noexcept {
  const Level level = is_known() ? here() : Level{};
  progress_.store(level.progress(), std::memory_order_relaxed);
  barrier_for_tasks_.store(level.barrier_for_tasks, std::memory_order_relaxed);
  region_.store(level.region, std::memory_order_release);
}

void OpenmpThread::creates_task() noexcept {
  if (!is_known() || here().barrier_for_tasks == here().barriers + 1) return;
  here().barrier_for_tasks = here().barriers + 1;
  barrier_for_tasks_.store(here().barrier_for_tasks, std::memory_order_seq_cst);
  if (serving.load(std::memory_order_seq_cst) == 0) return;
  if (Team* const team = team_to_help.load(std::memory_order_acquire)) team->ring_all();
}

void OpenmpThread::comes_to_barrier(const void* place) noexcept {
  if (!is_known()) return;
  Level& level = here();
  ++level.barriers;
  progress_.store(level.progress(), std::memory_order_relaxed); // a hint: see others()
  Team* const team = team_to_help.load(std::memory_order_acquire);
  if (team == nullptr || level.is_in_call) return; // in a function of the program's that MPI has called
  if (level.has_called) known_barriers.add(place);
  level.has_called = false;
  if (level.threads > 1 && level.threads <= most.load(std::memory_order_relaxed) && known_barriers.has(place))
    wait(*team);
}

void OpenmpThread::wait(Team& team) noexcept {
  using Clock = Doorbell::Clock;
  const auto time = team.waiting().time_to_spin();
  auto until = Clock::now() + time;
  for (Others found = others(); found != Others::nothing; found = others()) {
    if (found == Others::call) {
      serve(team);
      until = Clock::now() + time;
    } else if (Clock::now() >= until) {
      return;
    } else {
      spin_pause();
    }
  }
}

/// Looks for threads of the region that have come to fewer barriers. One that was in another region of the
/// same address, and has not begun this one, may seem to have come: then nobody waits for it here.
OpenmpThread::Others OpenmpThread::others() const noexcept {
  const Level& level = here();
  int present = 0;
  bool calls = false;
  for (const OpenmpThread* other = newest.load(std::memory_order_acquire); other != nullptr;
       other = other->older_) {
    if (other->region_.load(std::memory_order_acquire) != level.region) continue;
    if (other->barrier_for_tasks_.load(std::memory_order_seq_cst) == level.barriers) return Others::nothing;
    const std::uint64_t progress = other->progress_.load(std::memory_order_acquire);
    if (progress / 2 >= level.barriers)
      ++present;
    else if (progress % 2 != 0)
      calls = true;
  }
  if (present >= level.threads) return Others::nothing;
  return calls ? Others::call : Others::compute;
}

void OpenmpThread::serve(Team& team) noexcept {
  try {
    if (place_ == nullptr) place_ = &team.add();
  } catch (const std::bad_alloc&) {
    return; // to look again
  }
  const Oversubscription::Place counted;
  const Team::Guests guests(team, 1);
  serving.fetch_add(1, std::memory_order_seq_cst);
  team.serve(*place_, [this] { return others() != Others::call; });
  serving.fetch_sub(1, std::memory_order_relaxed);
  if (place_->track() != nullptr) place_->track()->work_begins(); // what it did not wait for is not recorded
}

OpenmpThread::Call::Call(OpenmpThread& thread, Team& team) noexcept
    : thread_(thread), team_(team), chunks_before_(team.chunks_helped()) {
  thread_.here().is_in_call = thread_.here().has_called = true;
  // The release pairs with the acquire in others(): who comes finds the team as the library has made it.
  thread_.progress_.store(thread_.here().progress(), std::memory_order_release);
}

OpenmpThread::Call::~Call() {
  thread_.here().is_in_call = false;
  thread_.progress_.store(thread_.here().progress(), std::memory_order_release);
  team_.ring_all(); // after that, so that those who wait see it
}

} // namespace helper::team
