// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/readings.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "trace/trace.hpp"

namespace helper::observe {

namespace {

constexpr double per_second = std::nano::den;

struct Handles {
  std::mutex mutex; // guards the map and what is in it: any thread may use any handle
  // The keys are addresses, which are no address of a handle of MPI's while both live.
  std::map<MPI_T_pvar_handle, std::unique_ptr<Reading>> readings;
};

Handles& handles() {
  static lifetime::NeverDestroyed<Handles> instance; // tools may read when the process ends
  return *instance;
}

} // namespace

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

Found free_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().readings.find(handle);
  if (found == handles().readings.end()) return Found::native;
  if (!found->second->is_of(session)) return Found::in_other_session;
  handles().readings.erase(found);
  return Found::own;
}

void free_handles(MPI_T_pvar_session session) {
  const std::lock_guard lock(handles().mutex);
  std::erase_if(handles().readings, [&](const auto& entry) { return entry.second->is_of(session); });
}

Found with(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const std::function<void(Reading&)>& act) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().readings.find(handle);
  if (found == handles().readings.end()) return Found::native;
  if (!found->second->is_of(session)) return Found::in_other_session;
  act(*found->second);
  return Found::own;
}

void with_all(MPI_T_pvar_session session, const std::function<void(Reading&)>& act) {
  const std::lock_guard lock(handles().mutex);
  for (const auto& [handle, reading] : handles().readings)
    if (reading->is_of(session)) act(*reading);
}

} // namespace helper::observe
