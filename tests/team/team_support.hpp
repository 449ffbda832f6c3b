// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "team/pause.hpp"
#include "team/team.hpp"
#include "team/work_list.hpp"

namespace test_support {

/// While the object lives, `processes` processes share `units` cores, and two threads are counted on them. By
/// default that is one thread more than cores. Make and destroy it while no thread is a member.
class Oversubscribed {
public:
  explicit Oversubscribed(int processes = 1, int units = 1) {
    helper::team::Oversubscription::set(threads_, units, processes);
  }
  ~Oversubscribed() { helper::team::Oversubscription::forget(); }
  Oversubscribed(const Oversubscribed&) = delete;
  Oversubscribed& operator=(const Oversubscribed&) = delete;

private:
  std::atomic<int> threads_{2};
};

/// A thread that makes calls on request, one after the other. So a test controls which thread does what, and
/// when.
class Actor {
public:
  Actor() = default;
  ~Actor() { end(); }
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  /// Lets the thread make the call after all earlier ones. Returns a future with the result.
  template <std::invocable Call>
  auto begin(Call call) {
    return begin_function(std::function<std::invoke_result_t<Call>()>(std::move(call)));
  }

  /// Lets the thread make the call after all earlier ones. Waits, and returns the result.
  template <std::invocable Call>
  auto does(Call call) {
    return begin(std::move(call)).get();
  }

  /// Ends the thread after all its calls.
  void end() {
    if (!thread_.joinable()) return;
    tell({});
    thread_.join();
  }

private:
  // A template of the result only, not of the call, because each instance takes long to compile.
  template <class Result>
  std::future<Result> begin_function(std::function<Result()> call) {
    std::packaged_task<Result()> task(std::move(call));
    auto result = task.get_future();
    tell(std::packaged_task<void()>(std::move(task)));
    return result;
  }

  void tell(std::packaged_task<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    told_.notify_one();
  }

  void act() {
    for (;;) {
      std::unique_lock lock(mutex_);
      told_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task.valid()) return;
      task();
    }
  }

  std::mutex mutex_; // guards tasks_
  std::condition_variable told_;
  std::deque<std::packaged_task<void()>> tasks_; // an invalid task ends the thread
  std::thread thread_{[this] { act(); }};        // last, since the thread uses the other members
};

/// The error that a call has thrown as Misuse.
struct Complaint {
  helper::team::Misuse::Kind kind;
  std::string text;
};

/// Returns the Misuse that `call` throws, if any.
template <std::invocable Call>
std::optional<Complaint> complaint_about(Call&& call) {
  try {
    call();
  } catch (const helper::team::Misuse& misuse) {
    return Complaint{misuse.kind(), misuse.what()};
  }
  return std::nullopt;
}

/// A job with a chunk for each of `parties` threads. None ends before all have begun, so it needs them all.
class Meeting {
public:
  explicit Meeting(int parties) : parties_(parties) {}

  helper::team::Job job() { return {attend, this, static_cast<std::size_t>(parties_), 1}; }

private:
  static void attend(void* context, std::size_t, std::size_t) noexcept {
    auto* const meeting = static_cast<Meeting*>(context);
    meeting->present_.fetch_add(1);
    while (meeting->present_.load() < meeting->parties_) std::this_thread::yield();
  }

  const int parties_;
  std::atomic<int> present_{0}; // grows to parties_
};

} // namespace test_support
