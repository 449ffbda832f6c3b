// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/performance.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "lifetime/never_destroyed.hpp"
#include "trace/track.hpp"

namespace helper::observe {

namespace {

using trace::Counters;
using trace::Way;

template <Way way>
std::uint64_t calls(const Counters& counters) {
  return counters.calls[static_cast<std::size_t>(way)].value();
}

std::uint64_t nanoseconds(trace::Clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
}

constexpr std::array quantities{
    Quantity{"calls_carried", "Calls in phases that the team carried", MPI_T_PVAR_CLASS_COUNTER,
             calls<Way::carried>},
    Quantity{"calls_lent", "Calls in phases that MPI did while the thread worked for the team",
             MPI_T_PVAR_CLASS_COUNTER, calls<Way::lent>},
    Quantity{"calls_native", "Calls in phases that went to MPI alone", MPI_T_PVAR_CLASS_COUNTER,
             calls<Way::native>},
    Quantity{"bytes", "Bytes of calls in phases, of their first buffers", MPI_T_PVAR_CLASS_AGGREGATE,
             [](const Counters& counters) -> std::uint64_t { return counters.bytes.value(); }},
    Quantity{"time", "Seconds that calls in phases took", MPI_T_PVAR_CLASS_TIMER,
             [](const Counters& counters) { return nanoseconds(counters.time.value()); }},
    Quantity{"waiting", "Seconds of calls in phases in which the thread had nothing to do",
             MPI_T_PVAR_CLASS_TIMER,
             [](const Counters& counters) { return nanoseconds(counters.waiting.value()); }},
    Quantity{"own_chunks", "Chunks of work that callers did themselves", MPI_T_PVAR_CLASS_COUNTER,
             [](const Counters& counters) -> std::uint64_t { return counters.own_chunks.value(); }},
    Quantity{"helped_chunks", "Chunks of work that other members did for callers", MPI_T_PVAR_CLASS_COUNTER,
             [](const Counters& counters) -> std::uint64_t { return counters.helped_chunks.value(); }},
};

// The first stands for all together, the others each for a function in which a member can work or wait.
constexpr std::array functions{static_cast<const char*>(nullptr),
                               "MPI_Allgather",
                               "MPI_Allgatherv",
                               "MPI_Allreduce",
                               "MPI_Alltoall",
                               "MPI_Alltoallv",
                               "MPI_Alltoallw",
                               "MPI_Barrier",
                               "MPI_Bcast",
                               "MPI_Exscan",
                               "MPI_Gather",
                               "MPI_Gatherv",
                               "MPI_Reduce",
                               "MPI_Reduce_scatter",
                               "MPI_Reduce_scatter_block",
                               "MPI_Scan",
                               "MPI_Scatter",
                               "MPI_Scatterv",
                               "MPI_Pack",
                               "MPI_Unpack",
                               "MPI_Reduce_local",
                               "MPI_Send",
                               "MPI_Ssend",
                               "MPI_Rsend",
                               "MPI_Bsend",
                               "MPI_Recv",
                               "MPI_Mrecv",
                               "MPI_Sendrecv",
                               "MPI_Sendrecv_replace",
                               "MPI_Probe",
                               "MPI_Mprobe",
                               "MPI_Wait",
                               "MPI_Waitall",
                               "MPI_Waitany",
                               "MPI_Waitsome",
                               "MPI_Helper_leave",
                               "MPI_Helper_fence",
                               "MPIX_Helper_allreduce",
                               "MPIX_Helper_barrier",
                               "MPIX_Helper_bcast"};

constexpr auto all = [] {
  std::array<Statistic, functions.size() * quantities.size()> made{};
  std::size_t index = 0;
  for (const char* const function : functions)
    for (const Quantity& quantity : quantities) made[index++] = {&quantity, function};
  return made;
}();

bool stands_for(std::string_view function, std::string_view recorded) {
  if (!recorded.starts_with(function)) return false;
  recorded.remove_prefix(function.size());
  return recorded.empty() || recorded == "_c";
}

constexpr double per_second = std::nano::den;

struct Handles {
  std::mutex mutex; // guards the map and what is in it: any thread may use any handle
  // The keys are addresses. MPI has no handle at the same address while both live.
  std::map<MPI_T_pvar_handle, std::unique_ptr<Reading>> readings;
};

Handles& handles() {
  static lifetime::NeverDestroyed<Handles> instance; // tools may read when the process ends
  return *instance;
}

} // namespace

std::string Statistic::name() const {
  const std::string of_all = std::string("mpi_helper_") + quantity->name;
  return function == nullptr ? of_all : of_all + "_" + function;
}

std::string Statistic::description() const {
  return std::string(quantity->meaning) + (function == nullptr ? "" : std::string(", of ") + function) +
         ", in this process. Recorded for members that are made, or join, after a handle was allocated";
}

std::uint64_t Statistic::sum() const {
  std::uint64_t sum = 0;
  trace::visit_counters([&](const Counters& counters) {
    if (function == nullptr || stands_for(function, counters.operation)) sum += quantity->of(counters);
  });
  return sum;
}

std::span<const Statistic> statistics() {
  return all;
}

std::optional<int> find_statistic(const char* name, int variable_class) {
  if (name == nullptr) return std::nullopt;
  const auto found = std::ranges::find_if(all, [&](const Statistic& statistic) {
    return statistic.quantity->variable_class == variable_class && statistic.name() == name;
  });
  if (found == all.end()) return std::nullopt;
  return static_cast<int>(found - all.begin());
}

std::uint64_t Reading::value_at(std::uint64_t sum) const noexcept {
  return collected_ + (sum_at_start_ ? sum - *sum_at_start_ : 0);
}

void Reading::give(std::uint64_t value, void* buffer) const noexcept {
  if (statistic_.quantity->is_time()) {
    const double seconds = static_cast<double>(value) / per_second;
    std::memcpy(buffer, &seconds, sizeof seconds);
  } else {
    const unsigned long long count = value;
    std::memcpy(buffer, &count, sizeof count);
  }
}

void Reading::set(std::uint64_t value) {
  if (sum_at_start_) sum_at_start_ = statistic_.sum();
  collected_ = value;
}

void Reading::start() {
  if (!sum_at_start_) sum_at_start_ = statistic_.sum();
}

void Reading::stop() {
  collected_ = value_at(statistic_.sum());
  sum_at_start_.reset();
}

void Reading::read(void* buffer) const {
  give(value_at(statistic_.sum()), buffer);
}

// One look at the sum serves both, so that nothing is shown twice, or never.
void Reading::read_and_reset(void* buffer) {
  const std::uint64_t sum = statistic_.sum();
  give(value_at(sum), buffer);
  collected_ = 0;
  if (sum_at_start_) sum_at_start_ = sum;
}

void Reading::write(const void* buffer) {
  if (statistic_.quantity->is_time()) {
    double seconds = 0;
    std::memcpy(&seconds, buffer, sizeof seconds);
    set(static_cast<std::uint64_t>(std::llround(seconds * per_second)));
  } else {
    unsigned long long count = 0;
    std::memcpy(&count, buffer, sizeof count);
    set(count);
  }
}

MPI_T_pvar_handle allocate(MPI_T_pvar_session session, const Statistic& statistic) {
  auto made = std::make_unique<Reading>(session, statistic);
  const auto handle = reinterpret_cast<MPI_T_pvar_handle>(made.get());
  const std::lock_guard lock(handles().mutex);
  handles().readings.emplace(handle, std::move(made));
  trace::count();
  return handle;
}

Owner free_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().readings.find(handle);
  if (found == handles().readings.end()) return Owner::native;
  if (!found->second->is_of(session)) return Owner::in_other_session;
  handles().readings.erase(found);
  return Owner::own;
}

void free_handles(MPI_T_pvar_session session) {
  const std::lock_guard lock(handles().mutex);
  std::erase_if(handles().readings, [&](const auto& entry) { return entry.second->is_of(session); });
}

Owner with(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const std::function<void(Reading&)>& act) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().readings.find(handle);
  if (found == handles().readings.end()) return Owner::native;
  if (!found->second->is_of(session)) return Owner::in_other_session;
  act(*found->second);
  return Owner::own;
}

void with_all(MPI_T_pvar_session session, const std::function<void(Reading&)>& act) {
  const std::lock_guard lock(handles().mutex);
  for (const auto& [handle, reading] : handles().readings)
    if (reading->is_of(session)) act(*reading);
}

} // namespace helper::observe
