// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/openmp.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <string>

#include "process/process.hpp"

namespace helper::process::openmp {

namespace {

using Obstacle = team::OpenmpPool::Obstacle;

/// For each Obstacle, what the summary prints about its calls.
constexpr std::array texts{
    "helped",
    "helped by threads at a barrier",
    "too small to be worth help",
    "with more OpenMP threads than processing units",
    "with threads bound in a way that is not known",
    "with OpenMP's dynamic adjustment or limits of threads",
    "with several OpenMP runtimes in the process",
    "in a parallel region with no other thread at a barrier",
    "in a parallel region of which the runtime does not say where its threads wait",
    "before, or without, a parallel region of several threads that the calling thread has opened"};
static_assert(texts.size() == static_cast<std::size_t>(Obstacle::obstacles));

// start() writes the fields before it sets is_on. judge() reads them.
constinit struct {
  const team::Team* team = nullptr;
  int most = 0; // threads of this process
  int rank = 0;
  bool reports = false;
  std::uint64_t chunks_before = 0; // chunks_helped() of the team when the mode started
  // The number of calls with each Obstacle. Relaxed accesses suffice: the counts order nothing.
  std::array<std::atomic<std::uint64_t>, texts.size()> calls{};
} mode;

std::atomic<std::uint64_t>& calls_of(Obstacle which) noexcept {
  return mode.calls[static_cast<std::size_t>(which)];
}

/// Returns the number of threads in the calling thread's parallel region; 1 if no such region is known.
int threads_of_region() noexcept {
  const team::OpenmpThread* const self = team::OpenmpThread::own();
  return self == nullptr ? 1 : self->threads();
}

Obstacle obstacle_to(team::OpenmpPool& pool, std::size_t bytes) noexcept {
  if (bytes < team::RegionCost::fewest_bytes) return Obstacle::little;
  if (const int threads = threads_of_region(); threads > 1)
    return threads > mode.most ? Obstacle::crowded : Obstacle::at_barrier;
  if (const Obstacle found = pool.obstacle(); found != Obstacle::none) return found;
  if (pool.threads() > mode.most) return Obstacle::crowded;
  return pool.pays(bytes) ? Obstacle::none : Obstacle::little;
}

/// Counts a call with this obstacle. Returns whether it is the first such call.
bool count(Obstacle which) noexcept {
  return calls_of(which).fetch_add(1, std::memory_order_relaxed) == 0;
}

/// Returns whether any thread has helped, also with calls that are not counted, such as MPI_Isend.
bool have_any_helped() noexcept {
  return calls_of(Obstacle::none).load(std::memory_order_relaxed) != 0 ||
         calls_of(Obstacle::at_barrier).load(std::memory_order_relaxed) != 0 ||
         mode.team->chunks_helped() != mode.chunks_before;
}

/// Returns a text with the number of calls that had helpers, and why other calls had none.
std::string account() {
  std::string text;
  for (std::size_t which = 0; which < texts.size(); ++which) {
    const std::uint64_t count = mode.calls[which].load(std::memory_order_relaxed);
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + texts[which];
  }
  return text.empty() ? "no call that moves data" : "calls: " + text;
}

/// Returns a text about what a region of the calling thread's pool costs; empty if that was not measured.
std::string price() {
  const team::OpenmpPool& pool = team::OpenmpPool::own();
  const team::RegionCost& cost = pool.cost();
  if (cost.cost() == cost.cost().zero()) return {};
  const double microseconds = std::chrono::duration<double, std::micro>(cost.cost()).count();
  const bool is_long = microseconds >= 1000;
  const std::size_t kib = cost.least_bytes() / 1024;
  const bool is_large = kib >= 10 * std::size_t{1024};
  std::ostringstream text;
  text << "; a region of " << pool.threads() << " threads takes " << std::fixed << std::setprecision(1)
       << (is_long ? microseconds / 1000 : microseconds) << (is_long ? " ms" : " us") << ", and pays from "
       << (is_large ? kib / 1024 : kib) << (is_large ? " MiB" : " KiB") << " on";
  return text.str();
}

void say(const std::string& text) {
  print("rank " + std::to_string(mode.rank) + ": MPI_HELPER_THREADS=openmp: " + text);
}

} // namespace

bool has_runtime() noexcept {
  return dlsym(RTLD_DEFAULT, "GOMP_parallel") != nullptr;
}

int threads() noexcept {
  void* const function = has_runtime() ? dlsym(RTLD_DEFAULT, "omp_get_max_threads") : nullptr;
  return function == nullptr ? 0 : reinterpret_cast<int (*)()>(function)();
}

int threads_instead(int room) noexcept {
  const char* const set = std::getenv("OMP_NUM_THREADS"); // numbers, one for each level of nested regions
  const long threads = set == nullptr ? 0 : std::strtol(set, nullptr, 10);
  return threads < 1 || threads > room ? room : static_cast<int>(threads);
}

void say_absent(int threads) {
  say("acts like MPI_HELPER_THREADS=" + std::to_string(threads) +
      " (threads of the library), since the program has loaded no OpenMP runtime with the function "
      "GOMP_parallel");
}

void start(team::Team& team, int most, int rank, bool reports) {
  mode.team = &team;
  mode.most = most;
  mode.rank = rank;
  mode.reports = reports;
  mode.chunks_before = team.chunks_helped();
  for (auto& calls_of_kind : mode.calls) calls_of_kind.store(0, std::memory_order_relaxed);
  constexpr auto patience = std::chrono::milliseconds(10); // with a thread that computes before its call
  team::OpenmpThread::start(team, most, patience);
  detail::is_on.store(true, std::memory_order_relaxed);
}

void stop() {
  if (!detail::is_on.exchange(false, std::memory_order_relaxed)) return;
  team::OpenmpThread::stop();
  const bool in_vain = !have_any_helped();
  if (mode.reports || (in_vain && mode.rank == 0))
    say((in_vain ? "no helper took part; " : "") + account() + price());
}

void forget() noexcept {
  team::OpenmpThread::stop();
  detail::is_on.store(false, std::memory_order_relaxed);
}

namespace detail {

Obstacle judge(const team::Member& member, std::size_t bytes) {
  if (&member.team() != mode.team || bytes == 0) return Obstacle::little; // in a team of the program
  team::OpenmpPool& pool = team::OpenmpPool::own();
  const Obstacle found = obstacle_to(pool, bytes);
  if (found == Obstacle::at_barrier) return found;
  if (count(found) && found == Obstacle::crowded && mode.reports) {
    say("leaves " + std::to_string(std::max(pool.threads(), threads_of_region())) +
        " threads alone, since this process has room for " + std::to_string(mode.most) +
        " besides the others of its node");
  }
  return found;
}

void count_at_barrier(bool has_had_help) noexcept {
  count(has_had_help ? Obstacle::at_barrier : Obstacle::nobody_waits);
}

} // namespace detail

} // namespace helper::process::openmp
