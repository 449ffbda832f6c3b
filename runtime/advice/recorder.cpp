// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "advice/recorder.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <mutex>

#include "layout/layout.hpp"
#include "lifetime/never_destroyed.hpp"
#include "settings/settings.hpp"

namespace helper::advice {

namespace {

constexpr std::size_t most_cells = 1024;
constexpr std::size_t most_visits = 8192;

// The seconds that timing a call costs. They are `if_short` if calls are less than `is_short` apart: then
// timing misses caches and delays other ranks. `share` is the part of the run that timing may take.
constexpr double seconds_per_timed_call = 120e-9, if_short = 1e-6, is_short = 10e-6;
constexpr double share = 0.004;

struct All {
  std::mutex mutex; // guards what follows
  std::vector<Recorder*> recorders;
};
constexpr auto& all = lifetime::sole<All>; // threads may call MPI until the process ends

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) noexcept {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15;
  return seed ^ (seed >> 29);
}

template <class Handle, std::size_t size>
std::uint8_t index_of(const std::array<Handle, size>& known, Handle handle) noexcept {
  const auto found = std::ranges::find(known, handle);
  return static_cast<std::uint8_t>(found == known.end() ? 0 : found - known.begin());
}

/// Returns an identifier of the processes of `comm`, equal at all of them. Sets `ranks` to their number.
std::uint64_t number_of(MPI_Comm comm, std::int64_t& ranks) {
  int is_inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0)
    return 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::vector<int> there(own.size());
  for (int rank = 0; rank < size; ++rank) own[static_cast<std::size_t>(rank)] = rank;
  PMPI_Group_translate_ranks(group, size, own.data(), world, there.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  ranks = size;
  std::uint64_t number = 1;
  for (const int rank : there) number = mixed(number, static_cast<std::uint64_t>(rank));
  return number;
}

} // namespace

Recorder& Recorder::own() {
  if (own_ == nullptr) [[unlikely]] {
    own_ = new Recorder; // it is read after the thread may have ended
    const std::lock_guard lock(all().mutex);
    all().recorders.push_back(own_);
  }
  return *own_;
}

void Recorder::forget_communicators() {
  const std::lock_guard lock(all().mutex);
  for (Recorder* const each : all().recorders) each->is_stale_.store(true, std::memory_order_relaxed);
}

const std::vector<Recorder*>& recorders() {
  return all().recorders;
}

bool is_on() noexcept {
  static const bool is_wanted = [] {
    try {
      return settings::read(settings::environment()).advice;
    } catch (const std::exception&) { // which MPI_Init reports
      return false;
    }
  }();
  return is_wanted;
}

// Communicators of the same processes share a count: all these processes call operations in the same order.
bool Recorder::find(MPI_Comm comm) {
  if (is_counted_ || !has_lost(comm)) return false;
  if (is_stale_.exchange(false, std::memory_order_relaxed)) by_comm_.clear();
  const auto [place, is_new] = by_comm_.try_emplace(comm, nullptr);
  if (is_new) {
    std::int64_t ranks = 0;
    const std::uint64_t number = number_of(comm, ranks);
    place->second = &groups_.try_emplace(number, Stay{.group = number, .ranks = ranks}).first->second;
  }
  last_comm_ = comm;
  last_ = place->second;
  return true;
}

std::int64_t Recorder::now() noexcept {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

Stay Recorder::enter(bool is_collective) noexcept {
  is_counted_ = false;
  Stay stay = is_collective ? *last_ : Stay{};
  stay.enter = now();
  return stay;
}

Cell& Recorder::cell_of(std::string_view function, const Cell& wanted, MPI_Datatype type) {
  std::uint64_t number = reinterpret_cast<std::uintptr_t>(function.data());
  for (const std::uint64_t part :
       {wanted.site, std::uint64_t{wanted.run} << 32 | static_cast<std::uint32_t>(wanted.ranks),
        std::uint64_t{wanted.size_class} << 16 | std::uint64_t{wanted.basic} << 8 | wanted.op})
    number = mixed(number, part);
  const auto [place, is_new] = places_.try_emplace(number, cells_.size());
  if (!is_new) return cells_[place->second];
  if (cells_.size() == most_cells) {
    place->second = most_cells - 1; // later kinds of calls share the last cell
    return cells_.back();
  }
  Cell& cell = cells_.emplace_back(wanted);
  std::ranges::copy(function.substr(0, cell.function.size() - 1), cell.function.begin());
  if (cell.run != 0) PMPI_Type_dup(type, &cell.type);
  return cell;
}

void Recorder::add(std::string_view function, Purpose purpose, Repetition repetition, const void* site,
                   const CallData& data, const Stay& stay) {
  Cell wanted;
  wanted.purpose = purpose;
  wanted.repetition = repetition;
  wanted.site = reinterpret_cast<std::uintptr_t>(site);
  std::uint64_t bytes = 0;
  if (data.type != MPI_DATATYPE_NULL && data.count != 0) {
    if (const auto layout = layout::Layout::of(data.type)) {
      bytes = data.count * layout->size();
      wanted.unit = std::max<std::size_t>(1, layout->size());
      if (!layout->contiguous()) wanted.run = static_cast<std::uint32_t>(layout->mean_run());
    }
  }
  wanted.size_class = static_cast<std::uint8_t>(std::bit_width(bytes));
  if (data.op != MPI_OP_NULL) {
    wanted.basic = index_of(basic_types, data.type);
    wanted.op = index_of(basic_ops, data.op);
  }
  wanted.ranks = static_cast<std::int32_t>(stay.ranks);
  if (stay.ranks != 0) visit(stay);
  Cell& cell = cell_of(function, wanted, data.type);
  // The untimed calls that this call represents are assumed to take as long, at most the time between calls.
  const double own_seconds = 1e-9 * static_cast<double>(stay.exit - stay.enter);
  const double seconds = own_seconds + static_cast<double>(weight_ - 1) * std::min(own_seconds, interval_);
  cell.calls += weight_;
  cell.bytes += weight_ * bytes;
  cell.seconds += seconds;
  seconds_[static_cast<std::size_t>(purpose)] += seconds;
  if (calls_ - calls_then_ >= 64) adapt(stay.exit);
}

void Recorder::visit(const Stay& stay) {
  const auto is_kept = [this](std::uint64_t number) { return (number & kept_) == 0; };
  if (!is_kept(stay.number)) return;
  if (visits_.size() == most_visits) {
    kept_ = kept_ * 2 + 1;
    std::erase_if(visits_, [&](const Stay& visit) { return !is_kept(visit.number); });
  }
  visits_.push_back(stay);
}

// Chooses how many calls to skip between two timed calls, so that the cost of timing stays below `share`.
void Recorder::adapt(std::int64_t now) {
  interval_ = 1e-9 * static_cast<double>(now - then_) / static_cast<double>(calls_ - calls_then_);
  const double cost = interval_ < is_short ? if_short : seconds_per_timed_call;
  const double wanted = std::clamp(cost / (share * interval_), 1.0, 1024.0);
  weight_ = std::bit_ceil(static_cast<std::uint64_t>(wanted));
  skipped_ = ~(~std::uint64_t{0} / weight_);
  calls_then_ = calls_;
  then_ = now;
}

} // namespace helper::advice
