// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "soak/report.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

namespace soak::report {
namespace {

/// The progress of a lane. The thread of the lane writes it, and the watchdog reads it. The watchdog needs no
/// consistent values, so the order of accesses does not matter.
struct Place {
  std::atomic<int> number{0};
  std::atomic<const char*> kind{nullptr}; // null before the first step
};

std::array<Place, most_lanes> places;
thread_local int own_lane = 0;
int own_rank = 0;               // written while the process has one thread
std::uint64_t lap_seed = 0;     // written while the process has one thread
std::atomic<int> laps_begun{0}; // also read by the watchdog

std::string line(int lane, const std::string& what) {
  const Place& place = places[static_cast<std::size_t>(lane)];
  const char* const kind = place.kind;
  return fmt::format("seed {} step {} ({}), rank {}, thread {}: {}\n", lap_seed, place.number.load(),
                     kind == nullptr ? "none yet" : kind, own_rank, lane, what);
}

/// Writes the text with one call, so that lines of several ranks do not mix.
void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

} // namespace

void begin_lap(int rank, std::uint64_t seed) {
  own_rank = rank;
  lap_seed = seed;
  for (Place& place : places) place.kind = nullptr;
  ++laps_begun;
}

void begin_step(int lane, int number, const char* kind) {
  own_lane = lane;
  Place& place = places[static_cast<std::size_t>(lane)];
  place.number = number;
  place.kind = kind;
}

void fail(const std::string& what) {
  say(line(own_lane, what));
  std::_Exit(EXIT_FAILURE);
}

namespace {

std::map<int, struct sigaction> handlers_before; // complete before crashed() can run

/// Reports a crash. If that crashes as well, as the process is broken, the previous handler runs.
void crashed(int signal) {
  sigaction(signal, &handlers_before.at(signal), nullptr);
  say(line(own_lane, fmt::format("crashes by signal {}", signal)));
  if (signal == SIGABRT) raise(signal);
}

} // namespace

void watch_for_crashes() {
  struct sigaction handler {};
  handler.sa_handler = crashed;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, nullptr, &handlers_before[signal]);
  for (const auto& [signal, before] : handlers_before) sigaction(signal, &handler, nullptr);
}

struct Watchdog::Thread {
  explicit Thread(std::chrono::seconds limit) : watching([this, limit] { watch(limit); }) {}

  void watch(std::chrono::seconds limit) {
    std::unique_lock lock(mutex);
    for (int seen = laps_begun;; seen = laps_begun) {
      if (ended.wait_for(lock, limit, [this] { return ends; })) return;
      if (laps_begun != seen) continue;
      std::string text;
      for (int lane = 0; lane < most_lanes; ++lane)
        if (places[static_cast<std::size_t>(lane)].kind != nullptr) text += line(lane, "hangs");
      say(text);
      std::this_thread::sleep_for(std::chrono::seconds(1)); // meanwhile the other ranks print where they are
      std::_Exit(EXIT_FAILURE);
    }
  }

  std::mutex mutex;
  std::condition_variable ended;
  bool ends = false;
  std::thread watching; // last, since the thread uses the other members
};

Watchdog::Watchdog(std::chrono::seconds limit) : thread_(new Thread(limit)) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->ends = true;
  }
  thread_->ended.notify_one();
  thread_->watching.join();
  delete thread_;
}

} // namespace soak::report
