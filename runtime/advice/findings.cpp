// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "advice/findings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "process/models.hpp"
#include "process/openmp.hpp"
#include "process/process.hpp"
#include "process/state.hpp"

namespace helper::advice {

namespace {

constexpr std::size_t most_replays = 6;
constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20; ///< of a call that is replayed
constexpr double large = 1 << 20; ///< bytes of a call whose time is proportional to its size
constexpr int most_threads = 16;
constexpr double unlike = 0.5;      ///< the part by which a replay may differ from the program
constexpr double noise = 0.02;      ///< the part of a run by which two runs may differ
constexpr double most_rare = 0.005; ///< of the time in MPI: rarer calls are not replayed

double in(const std::vector<double>& seconds, Purpose purpose) {
  return seconds[static_cast<std::size_t>(purpose)];
}

/// Gathers the values of all ranks at rank 0, by rank.
template <class Value>
std::vector<std::vector<Value>> gather(const std::vector<Value>& own, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  int bytes = static_cast<int>(own.size() * sizeof(Value));
  std::vector<int> all_bytes(static_cast<std::size_t>(size));
  PMPI_Gather(&bytes, 1, MPI_INT, all_bytes.data(), 1, MPI_INT, 0, comm);
  if (rank != 0) {
    PMPI_Send(own.data(), bytes, MPI_BYTE, 0, 0, comm);
    return {};
  }
  std::vector<std::vector<Value>> all{own};
  for (int other = 1; other < size; ++other) {
    const int more = all_bytes[static_cast<std::size_t>(other)];
    auto& of_other = all.emplace_back(static_cast<std::size_t>(more) / sizeof(Value));
    PMPI_Recv(of_other.data(), more, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
  }
  return all;
}

/// Broadcasts the values of rank 0 to all ranks.
template <class Value>
void spread(std::vector<Value>& values, MPI_Comm comm) {
  auto count = static_cast<int>(values.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, comm);
  values.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(values.data(), count * static_cast<int>(sizeof(Value)), MPI_BYTE, 0, comm);
}

/// Stores the name of the function at `address`. If it has no name, stores its object file and the offset.
void name_caller(std::uint64_t address, std::span<char> name) {
  Dl_info found{};
  const auto* const at = reinterpret_cast<const void*>(address);
  if (dladdr(at, &found) == 0) return;
  const std::string path = found.dli_fname != nullptr ? found.dli_fname : "";
  const std::string object = path.substr(path.rfind('/') + 1);
  if (found.dli_sname != nullptr)
    std::snprintf(name.data(), name.size(), "%s", found.dli_sname);
  else
    std::snprintf(
        name.data(), name.size(), "%s+0x%llx", object.c_str(),
        static_cast<unsigned long long>(address - reinterpret_cast<std::uintptr_t>(found.dli_fbase)));
}

double mean_bytes(const Cell& cell) {
  return static_cast<double>(cell.bytes) / static_cast<double>(std::max<std::uint64_t>(cell.calls, 1));
}

/// Returns the calls of this process, in the time of rank 0's clock.
std::vector<Stay> own_visits(const trace::ClockMap& clock) {
  std::vector<Stay> visits;
  for (const Recorder* const recorder : recorders())
    visits.insert(visits.end(), recorder->visits().begin(), recorder->visits().end());
  for (Stay& visit : visits)
    for (std::int64_t* const time : {&visit.enter, &visit.exit})
      *time = clock(Clock::time_point(std::chrono::nanoseconds(*time)));
  return visits;
}

std::vector<Cell> own_cells() {
  std::vector<Cell> cells;
  for (const Recorder* const recorder : recorders())
    cells.insert(cells.end(), recorder->cells().begin(), recorder->cells().end());
  return cells;
}

/// Sets each cell's weight. The call that completes a message takes much of its time. So the time of all
/// messages is divided among the cells of messages, by estimated costs per call and byte.
void weigh(const std::vector<double>& rank, std::vector<Cell>& cells) {
  const auto share = [](const Cell& cell) {
    if (cell.purpose != Purpose::message || cell.repetition == Repetition::none) return 0.0;
    const double of_byte = cell.run != 0 ? 1e-9 : 0.25e-9;
    return static_cast<double>(cell.calls) * 1e-6 + static_cast<double>(cell.bytes) * of_byte;
  };
  double all = 1e-12;
  for (const Cell& cell : cells) all += share(cell);
  for (Cell& cell : cells)
    cell.weight = std::max(cell.seconds, in(rank, Purpose::message) * share(cell) / all);
}

bool is_repeatable(const Cell& cell, std::size_t ranks) {
  const bool is_local = cell.repetition >= Repetition::pack;
  return cell.repetition != Repetition::none && cell.bytes != 0 &&
         (is_local || (cell.ranks != 1 && ranks != 1));
}

/// Returns the cells to replay, in which all ranks spend most time. Each becomes one call of average size.
std::vector<Cell> heaviest(const std::vector<std::vector<Cell>>& by_rank) {
  std::vector<std::pair<double, Cell>> sums;
  double all = 0;
  for (const auto& cells : by_rank) {
    for (const Cell& cell : cells) {
      all += cell.weight;
      if (!is_repeatable(cell, by_rank.size())) continue;
      const auto found =
          std::ranges::find_if(sums, [&](const auto& sum) { return sum.second.is_like(cell); });
      const bool is_new = found == sums.end();
      auto& [seconds, sum] = is_new ? sums.emplace_back(0, cell) : *found;
      seconds += cell.weight;
      if (is_new) continue;
      sum.calls += cell.calls;
      sum.bytes += cell.bytes;
      sum.unit = std::max(sum.unit, cell.unit);
    }
  }
  std::ranges::sort(sums, std::ranges::greater(), &std::pair<double, Cell>::first);
  std::vector<Cell> chosen;
  for (auto& [weight, cell] : sums) {
    if (chosen.size() == most_replays || weight < most_rare * all) break;
    const std::uint64_t most =
        most_bytes / static_cast<std::uint64_t>(has_blocks(cell.repetition) ? cell.ranks : 1);
    cell.bytes = std::max(std::min(cell.bytes / cell.calls, most) / cell.unit, std::uint64_t{1}) * cell.unit;
    cell.calls = 1;
    chosen.push_back(cell);
  }
  return chosen;
}

std::vector<int> team_sizes(int cores) {
  std::vector<int> sizes{1};
  while (sizes.back() * 2 <= std::min(cores, most_threads)) sizes.push_back(sizes.back() * 2);
  return sizes;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::ranges::replace(text, '\0', ' ');
  return text;
}

/// How long each rank has waited for others, in those collective operations that all their ranks have timed.
struct Lateness {
  std::vector<double> waited, spent; ///< seconds, by rank
  std::vector<double> blamed;        ///< how long others have waited for this rank

  double share_waited(std::size_t rank) const { return spent[rank] > 0 ? waited[rank] / spent[rank] : 0; }
};

/// The stays in one operation, each with its rank.
using Stays = std::vector<std::pair<std::size_t, Stay>>;

void add_visits(const Stays& visits, Lateness& sums) {
  const auto last = std::ranges::max_element(visits, {}, [](const auto& each) { return each.second.enter; });
  for (const auto& [rank, visit] : visits) {
    const double spent = static_cast<double>(visit.exit - visit.enter) * 1e-9;
    const double waited = std::min(spent, static_cast<double>(last->second.enter - visit.enter) * 1e-9);
    sums.spent[rank] += spent;
    sums.waited[rank] += waited;
    sums.blamed[last->first] += waited;
  }
}

/// Computes the lateness from the stays of all ranks, given in the time of one clock.
Lateness lateness(const std::vector<std::vector<Stay>>& by_rank) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Stays> operations;
  Lateness sums;
  for (auto* const values : {&sums.waited, &sums.spent, &sums.blamed}) values->resize(by_rank.size());
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    for (const Stay& visit : by_rank[rank]) operations[{visit.group, visit.number}].emplace_back(rank, visit);
  for (const auto& [number, visits] : operations)
    if (std::ssize(visits) == visits.front().second.ranks) add_visits(visits, sums);
  return sums;
}

/// What rank 0 has gathered from all ranks.
struct OfAll {
  std::vector<std::vector<double>> seconds; ///< by rank and purpose
  std::vector<std::vector<Cell>> cells;
  Lateness lateness;
  std::vector<Cell> repeated;
  std::vector<std::vector<Range>> replays; ///< of `repeated`, as replay() returns them
};

/// Adds what each team size saves in `calls` calls that take the replayed `times`, but at most `most`
/// seconds. Multiplies it by `part`, one over the number of ranks, so that sums over the ranks are means.
void add_saved(double calls, const std::vector<Range>& times, double most, double part, Findings& findings,
               CallSite& place) {
  const auto limited = [&](double seconds) { return part * std::min(calls * seconds, most); };
  for (std::size_t team = 0; team < findings.savings.size(); ++team) {
    const Range& native = times[0];
    const Range& by_team = times[1 + team];
    Saving& saving = findings.savings[team];
    const double saved = limited(native.median - by_team.median);
    saving.seconds += saved;
    saving.low += limited(native.least - by_team.greatest);
    saving.high += limited(native.greatest - by_team.least);
    place.saved = std::max(place.saved, saved);
  }
}

void add_place(const CallSite& place, std::vector<CallSite>& places) {
  const auto found = std::ranges::find_if(places, [&](const CallSite& other) {
    return other.function == place.function && other.caller == place.caller && other.run == place.run;
  });
  if (found == places.end()) return places.push_back(place);
  found->calls += place.calls;
  found->bytes += place.bytes;
  found->seconds += place.seconds;
  found->saved += place.saved;
}

/// Adds the savings of the calls of a rank, by call site.
void add_savings(const OfAll& all, std::size_t rank, Findings& findings) {
  const double part = 1.0 / static_cast<double>(all.cells.size());
  for (const Cell& cell : all.cells[rank]) {
    if (cell.repetition == Repetition::none) continue;
    CallSite place{
        cell.function.data(), cell.caller.data(), cell.calls, static_cast<double>(cell.bytes), cell.run,
        cell.weight * part};
    double most = cell.seconds;
    if (cell.purpose == Purpose::collective) most *= 1 - all.lateness.share_waited(rank);
    if (cell.purpose == Purpose::message) most = in(all.seconds[rank], Purpose::message);
    const auto like =
        std::ranges::find_if(all.repeated, [&](const Cell& each) { return each.is_like(cell); });
    if (like != all.repeated.end()) {
      const auto at = static_cast<std::size_t>(like - all.repeated.begin());
      const double larger =
          mean_bytes(cell) < large ? 1 : mean_bytes(cell) / static_cast<double>(like->bytes);
      add_saved(static_cast<double>(cell.calls) * larger, all.replays[at], most, part, findings, place);
    } else if (is_repeatable(cell, all.cells.size())) { // too short to be replayed: the saving is unknown
      for (Saving& saving : findings.savings) saving.high += unlike * part * std::min(most, cell.weight);
    }
    add_place(place, findings.places);
  }
}

/// Widens the ranges by what the replay cannot know: whether the program's data are in the caches, and how
/// much its run times vary. A saving is at most the mean time of a rank in MPI.
void widen(Findings& findings) {
  double most = 0;
  for (const Spent& spent : findings.spent)
    most += spent.total() / static_cast<double>(findings.spent.size());
  for (Saving& saving : findings.savings) {
    saving.seconds = std::min(saving.seconds, most);
    const double half = unlike * std::abs(saving.seconds) + noise * findings.elapsed;
    saving.seconds -= findings.start;
    saving.low = std::min(saving.low - findings.start, saving.seconds - half);
    saving.high = std::min(std::max(saving.high - findings.start, saving.seconds + half), most);
  }
}

/// Divides a rank's time in MPI. A collective call works while it waits for no rank. A message works as long
/// as its replay takes. The rest is waiting.
Spent spent_of(const OfAll& all, std::size_t rank) {
  const std::vector<double>& seconds_in = all.seconds[rank];
  const double in_messages = in(seconds_in, Purpose::message);
  Spent messages;
  Spent spent;
  for (const Cell& cell : all.cells[rank]) {
    double seconds = 0;
    if (cell.purpose == Purpose::collective) seconds = cell.seconds * (1 - all.lateness.share_waited(rank));
    if (cell.purpose == Purpose::message) {
      const auto like = std::ranges::find_if(all.repeated, [&](const Cell& each) {
        return each.purpose == cell.purpose && each.size_class == cell.size_class && each.run == cell.run;
      });
      const bool is_both = std::string_view(cell.function.data()).starts_with("MPI_Sendrecv");
      if (like != all.repeated.end() && cell.repetition != Repetition::none)
        seconds = static_cast<double>(cell.calls) * (is_both ? 1 : 0.5) *
                  all.replays[static_cast<std::size_t>(like - all.repeated.begin())][0].least;
    }
    Spent& sum = cell.purpose == Purpose::message ? messages : spent;
    (cell.run != 0 ? sum.packing : reduces(cell.repetition) ? sum.reducing : sum.moving) += seconds;
  }
  const double limit = std::min(1.0, in_messages / std::max(messages.total(), 1e-12));
  spent.packing += limit * messages.packing;
  spent.moving += limit * messages.moving;
  spent.waiting = in_messages + in(seconds_in, Purpose::collective) - spent.total();
  spent.packing += in(seconds_in, Purpose::packing);
  spent.reducing += in(seconds_in, Purpose::reducing);
  spent.files = in(seconds_in, Purpose::files);
  spent.one_sided = in(seconds_in, Purpose::one_sided);
  spent.other = in(seconds_in, Purpose::other);
  return spent;
}

void conclude(const OfAll& all, Findings& findings) {
  for (std::size_t rank = 0; rank < all.seconds.size(); ++rank) {
    findings.spent.push_back(spent_of(all, rank));
    add_savings(all, rank, findings);
  }
  const auto& blamed = all.lateness.blamed;
  const auto last = std::ranges::max_element(blamed);
  findings.last_rank = static_cast<int>(last - blamed.begin());
  findings.share_of_last = *last / std::max(std::accumulate(blamed.begin(), blamed.end(), 0.0), 1e-12);
  widen(findings);
}

/// Returns the times of this process by purpose.
std::vector<double> own_seconds() {
  std::vector<double> seconds(purposes);
  for (const Recorder* const recorder : recorders())
    for (std::size_t kind = 0; kind < purposes; ++kind)
      seconds[kind] += recorder->seconds(static_cast<Purpose>(kind));
  return seconds;
}

OfAll gather_all(std::vector<Cell> cells, const std::vector<Stay>& visits, MPI_Comm comm) {
  for (Cell& cell : cells) name_caller(cell.site, cell.caller);
  OfAll all{gather(own_seconds(), comm), gather(cells, comm), {}, {}, {}};
  all.lateness = lateness(gather(visits, comm));
  for (std::size_t rank = 0; rank < all.seconds.size(); ++rank) weigh(all.seconds[rank], all.cells[rank]);
  all.repeated = heaviest(all.cells);
  spread(all.repeated, comm);
  return all;
}

/// Begins the library, and stores how long that took. Returns the fewest cores that a process has to itself.
int begin_library(Findings& findings, MPI_Comm comm) {
  PMPI_Barrier(comm);
  const auto begin = Clock::now();
  process::models::world_began();
  findings.start = std::chrono::duration<double>(Clock::now() - begin).count();
  const process::ProcessPlace& place = process::current().place;
  findings.cores = place.given.size();
  findings.sharers = place.sharers;
  findings.openmp_threads = process::openmp::threads();
  findings.command = command_line();
  int room = std::max(1, findings.cores / findings.sharers);
  PMPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm);
  return room;
}

} // namespace

Findings find(double elapsed, const trace::ClockMap& clock, MPI_Comm comm) {
  Findings findings;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &findings.ranks);
  PMPI_Reduce(&elapsed, &findings.elapsed, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  std::vector<Cell> cells = own_cells();
  OfAll all = gather_all(cells, own_visits(clock), comm);
  const auto sizes = team_sizes(begin_library(findings, comm));
  if (process::begun()) {
    all.replays = replay(all.repeated, cells, sizes, comm);
    for (const int size : sizes) findings.savings.push_back({size});
  } else {
    all.repeated.clear();
  }
  for (Cell& cell : cells)
    if (cell.run != 0) PMPI_Type_free(&cell.type);
  if (rank == 0) conclude(all, findings);
  return findings;
}

} // namespace helper::advice
