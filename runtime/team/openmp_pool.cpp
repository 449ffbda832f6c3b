// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/openmp_pool.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "lifetime/at_end.hpp"

namespace helper::team {

namespace {

using Clock = Doorbell::Clock;

constinit struct {
  // Set once. Release and acquire: a thread that reads the pointer sees the complete OpenmpRuntime.
  std::atomic<const OpenmpRuntime*> first{nullptr};
  // Whether of() was asked for a second runtime. Set once; it orders nothing.
  std::atomic<bool> are_several{false};
} runtimes;

/// Sets `function` to the function of that name in the object. Returns whether it exists.
template <class Function>
bool find(void* object, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(object, name));
  return function != nullptr;
}

/// Returns the runtime in the object at this path; nullptr if it is no OpenMP runtime.
std::unique_ptr<const OpenmpRuntime> look_into(const char* path) {
  void* const object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  auto found = std::make_unique<OpenmpRuntime>();
  found->path = path;
  const bool is_whole = find(object, "GOMP_parallel", found->parallel) &&
                        find(object, "omp_get_level", found->level) &&
                        find(object, "omp_get_thread_num", found->thread_num) &&
                        find(object, "omp_get_max_threads", found->max_threads) &&
                        find(object, "omp_get_thread_limit", found->thread_limit) &&
                        find(object, "omp_get_max_active_levels", found->max_active_levels) &&
                        find(object, "omp_get_dynamic", found->dynamic) &&
                        find(object, "omp_get_num_places", found->num_places);
  dlclose(object);
  return is_whole ? std::move(found) : nullptr;
}

} // namespace

const OpenmpRuntime* OpenmpRuntime::of(const void* function) noexcept {
  Dl_info object{};
  if (dladdr(function, &object) == 0 || object.dli_fname == nullptr) return nullptr;
  static std::mutex adding;
  try {
    const std::lock_guard lock(adding);
    if (const OpenmpRuntime* const first = runtimes.first.load(std::memory_order_acquire)) {
      if (first->path == object.dli_fname) return first;
      runtimes.are_several.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    auto found = look_into(object.dli_fname);
    runtimes.first.store(found.get(), std::memory_order_release);
    return found.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool OpenmpRuntime::is_alone() noexcept {
  return !runtimes.are_several.load(std::memory_order_relaxed);
}

/// A region that the library opens. The object is on the owner's stack; no thread uses it after the region.
struct OpenmpPool::ParallelRegion {
  OpenmpPool& pool;
  Team& team;
  void (*const work)(const void*);
  const void* const given;
  std::exception_ptr failure;
  // Set once, when the work is done, before all waiting threads are rung. The release pairs with the acquire
  // of threads that come late. Nothing else needs an order: a region ends with a barrier.
  std::atomic<bool> is_over{false};
};

OpenmpPool& OpenmpPool::own() noexcept {
  static thread_local OpenmpPool pool;
  return pool;
}

OpenmpPool::~OpenmpPool() {
  for (Member* const place : places_)
    if (place != nullptr) place->team().vacate(*place);
}

void OpenmpPool::opens(const OpenmpRuntime& runtime, unsigned asked, std::optional<unsigned> flags) noexcept {
  // Nested regions have threads of their own. A region of a single thread, or one that the runtime is told
  // not to make active, leaves the pool unchanged.
  if (asked == 1 || runtime.level() != 0 || runtime.max_active_levels() == 0) return;
  const int threads =
      std::min(asked == 0 ? runtime.max_threads() : static_cast<int>(asked), runtime.thread_limit());
  if (threads < 2) return;
  runtime_ = &runtime;
  threads_ = runtime.dynamic() != 0 ? 0 : threads; // the runtime may choose fewer
  constexpr unsigned binding = 7;                  // the other flags concern only this region
  flags_ = flags ? std::optional(*flags & binding) : std::nullopt;
}

OpenmpPool::Obstacle OpenmpPool::obstacle() const noexcept {
  if (!OpenmpRuntime::is_alone()) return Obstacle::several_runtimes;
  if (threads_ == 0 || is_abandoned_) return Obstacle::no_pool;
  if (runtime_->level() != 0) return Obstacle::in_region;
  if (runtime_->dynamic() != 0 || runtime_->max_active_levels() == 0 || runtime_->thread_limit() < threads_)
    return Obstacle::settings;
  if (!flags_ && runtime_->num_places() != 0) return Obstacle::bindings;
  return Obstacle::none;
}

/// Returns how long an empty region takes now. It takes longer once the pool's idle threads sleep, not spin.
RegionCost::Duration OpenmpPool::measure() const noexcept {
  const auto begin = Clock::now();
  runtime_->parallel([](void*) {}, nullptr, static_cast<unsigned>(threads_), flags_.value_or(0));
  return Clock::now() - begin;
}

void OpenmpPool::open(Team& team, void (*work)(const void*), const void* given) {
  const int others = threads_ - 1;
  try {
    if (places_.size() < static_cast<std::size_t>(others)) places_.resize(static_cast<std::size_t>(others));
  } catch (const std::bad_alloc&) {
    return work(given); // without the other threads
  }
  ParallelRegion region{*this, team, work, given, nullptr};
  {
    const Oversubscription::CountedThreads counted(others);
    team.add_guests(others);
    const lifetime::AtEnd gone([&] { team.add_guests(-others); });
    const auto enter = [](void* entered) {
      auto& entry = *static_cast<ParallelRegion*>(entered);
      entry.pool.take_part(entry);
    };
    runtime_->parallel(enter, &region, static_cast<unsigned>(threads_), flags_.value_or(0));
  }
  if (region.failure) std::rethrow_exception(region.failure);
}

/// Each thread of the region calls it.
void OpenmpPool::take_part(ParallelRegion& region) {
  const int thread = runtime_->thread_num();
  if (thread != 0) {
    const auto index = static_cast<std::size_t>(thread) - 1;
    if (index < places_.size()) help(region, places_[index]);
    return;
  }
  const lifetime::AtEnd end([&] { // also when the thread is cancelled
    region.is_over.store(true, std::memory_order_release);
    region.team.ring_all();
  });
  try {
    region.work(region.given);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) { // the runtime lets no exception pass
    region.failure = std::current_exception();
  }
}

void OpenmpPool::help(ParallelRegion& region, Member*& place) noexcept {
  const auto is_over = [&region] { return region.is_over.load(std::memory_order_acquire); };
  if (is_over()) return;
  try {
    if (place == nullptr) place = &region.team.add();
  } catch (const std::bad_alloc&) {
    return; // the other threads help without this one
  }
  region.team.serve(*place, is_over);
  if (place->track() != nullptr) place->track()->work_begins(); // waiting does not count as recorded work
}

} // namespace helper::team
