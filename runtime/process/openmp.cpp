// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/openmp.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>

#include "process/process.hpp"

namespace helper::process::openmp {

namespace {

using Obstacle = team::OpenmpPool::Obstacle;

/// Says what has become of a call: first, why there is no region of the library's.
enum class Case { no_pool, in_region, several_runtimes, settings, bindings, crowded, little, helped, cases };

constexpr std::array<const char*, static_cast<std::size_t>(Case::cases)> texts{
    "before, or without, a parallel region of several threads that the calling thread has opened",
    "in a parallel region",
    "with several OpenMP runtimes in the process",
    "with OpenMP's dynamic adjustment or limits of threads",
    "with threads bound in a way that is not known",
    "with more OpenMP threads than processing units",
    "of less data than a parallel region is worth",
    "helped"};

struct Terms {
  const team::Team* team = nullptr;
  int most = 0; // threads of this process
  int rank = 0;
  bool reports = false;
  bool has_spoken = false;
};
Terms terms; // written by start() before is_on is, for pool_for()

// They count calls, and order nothing.
constinit std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Case::cases)> calls{};

std::atomic<std::uint64_t>& calls_of(Case which) noexcept {
  return calls[static_cast<std::size_t>(which)];
}

Case case_of(Obstacle obstacle) noexcept {
  switch (obstacle) {
  case Obstacle::no_pool:
    return Case::no_pool;
  case Obstacle::in_region:
    return Case::in_region;
  case Obstacle::several_runtimes:
    return Case::several_runtimes;
  case Obstacle::settings:
    return Case::settings;
  case Obstacle::bindings:
    return Case::bindings;
  case Obstacle::none:
    break;
  }
  return Case::helped;
}

Case judge(team::OpenmpPool& pool, std::size_t bytes) noexcept {
  if (bytes < team::OpenmpPool::fewest_bytes) return Case::little;
  const Case found = case_of(pool.obstacle());
  if (found != Case::helped) return found;
  if (pool.threads() > terms.most) return Case::crowded;
  return pool.pays(bytes) ? Case::helped : Case::little;
}

/// Lists how many calls had helpers, and why others had none.
std::string account() {
  std::string text;
  for (std::size_t which = calls.size(); which-- > 0;) {
    const std::uint64_t count = calls[which].load(std::memory_order_relaxed);
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + texts[which];
  }
  return text.empty() ? "no call that moves data" : "calls: " + text;
}

/// Says what has been measured in the calling thread's pool, if anything.
std::string price() {
  const team::OpenmpPool& pool = team::OpenmpPool::own();
  if (pool.cost() == pool.cost().zero()) return {};
  const double microseconds = std::chrono::duration<double, std::micro>(pool.cost()).count();
  std::ostringstream text;
  text << "; a region of " << pool.threads() << " threads takes " << std::setprecision(2) << microseconds
       << " us, and pays from " << pool.least_bytes() / 1024 << " KiB on";
  return text.str();
}

void say(const std::string& text) {
  print("rank " + std::to_string(terms.rank) + ": MPI_HELPER_THREADS=openmp " + text);
}

} // namespace

void start(team::Team& team, int most, int rank, bool reports) {
  terms = {&team, most, rank, reports};
  for (auto& count : calls) count.store(0, std::memory_order_relaxed);
  // A runtime may still come. It need not be one that the program calls, but mostly is.
  if (rank == 0 && dlsym(RTLD_DEFAULT, "GOMP_parallel") == nullptr) {
    say("is as 1 for now: no OpenMP runtime is loaded that has the function GOMP_parallel");
    terms.has_spoken = true;
  }
  detail::is_on.store(true, std::memory_order_relaxed);
}

void stop() {
  if (!detail::is_on.exchange(false, std::memory_order_relaxed)) return;
  const bool none_helped = calls_of(Case::helped).load(std::memory_order_relaxed) == 0;
  if (terms.reports || (none_helped && terms.rank == 0 && !terms.has_spoken))
    say((none_helped ? "was as 1; " : "") + account() + price());
}

void forget() noexcept {
  detail::is_on.store(false, std::memory_order_relaxed);
}

team::OpenmpPool* pool_for(const team::Member& member, std::size_t bytes) {
  if (&member.team() != terms.team || bytes == 0) return nullptr; // in a phase of the program's
  team::OpenmpPool& pool = team::OpenmpPool::own();
  const Case found = judge(pool, bytes);
  const std::uint64_t before = calls_of(found).fetch_add(1, std::memory_order_relaxed);
  if (found == Case::crowded && before == 0 && terms.reports) {
    say("leaves " + std::to_string(pool.threads()) + " threads alone, since this process has room for " +
        std::to_string(terms.most) + " besides the others of its node");
  }
  return found == Case::helped ? &pool : nullptr;
}

} // namespace helper::process::openmp
