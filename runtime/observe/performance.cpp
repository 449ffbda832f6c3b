// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/performance.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>

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

// nullptr stands for all functions together. The others are functions in which a member can work or wait.
constexpr auto functions = std::to_array<const char*>(
    {nullptr,
     // collective
     "MPI_Allgather", "MPI_Allgatherv", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",
     "MPI_Barrier", "MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce",
     "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Scatter", "MPI_Scatterv",
     // local
     "MPI_Pack", "MPI_Unpack", "MPI_Reduce_local",
     // messages
     "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv",
     "MPI_Sendrecv_replace", "MPI_Probe", "MPI_Mprobe", "MPI_Wait", "MPI_Waitall", "MPI_Waitany",
     "MPI_Waitsome",
     // teams
     "MPI_Helper_leave", "MPI_Helper_fence", "MPIX_Helper_allreduce", "MPIX_Helper_barrier",
     "MPIX_Helper_bcast"});

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

MPI_T_pvar_handle handle_of(const Statistic& statistic) noexcept {
  return reinterpret_cast<MPI_T_pvar_handle>(const_cast<Statistic*>(&statistic));
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

void Statistic::read(void* buffer) const {
  unsigned long long sum = 0;
  trace::visit_counters([&](const Counters& counters) {
    if (function == nullptr || stands_for(function, counters.operation)) sum += quantity->of(counters);
  });
  if (quantity->is_time()) {
    const double seconds = static_cast<double>(sum) / std::nano::den;
    std::memcpy(buffer, &seconds, sizeof seconds);
  } else {
    std::memcpy(buffer, &sum, sizeof sum);
  }
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

MPI_T_pvar_handle allocate(const Statistic& statistic) {
  trace::count();
  return handle_of(statistic);
}

const Statistic* statistic_of(MPI_T_pvar_handle handle) noexcept {
  const auto* const found = std::ranges::find(all, handle, [](auto& each) { return handle_of(each); });
  return found != all.end() ? &*found : nullptr;
}

} // namespace helper::observe
