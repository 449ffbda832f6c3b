// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/process.hpp"

#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include "collective/selection.hpp"
#include "message/message.hpp"
#include "pipeline/shared_staging.hpp"
#include "pipeline/staging.hpp"
#include "process/attendance.hpp"
#include "process/division.hpp"
#include "process/not_engaged.hpp"
#include "process/print.hpp"
#include "process/recording.hpp"
#include "settings/settings.hpp"
#include "sysgroup/channel.hpp"
#include "sysgroup/pending.hpp"
#include "team/helper_threads.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"
#include "topology/thread_binding.hpp"
#include "transport/arena.hpp"
#include "transport/arguments.hpp"
#include "transport/node.hpp"
#include "transport/nodes.hpp"
#include "transport/peer_memory.hpp"
#include "transport/region.hpp"
#include "transport/room.hpp"
#include "transport/shadow.hpp"
#include "transport/traffic.hpp"
#include "transport/window.hpp"

namespace helper::process {

namespace {

using topology::Cpuset;
using topology::Machine;

/// What of the node is this process's.
struct Place {
  Cpuset given;         ///< the processing units that the launcher lets the process use
  int ranks = 1;        ///< processes of this node
  int sharers = 1;      ///< processes of this node that were given the same, this one included
  int first_sharer = 0; ///< the index on the node of the first of them
  Cpuset share;         ///< this process's part of them

  bool takes_turns() const { return topology::oversubscribed(sharers, given); }
};

struct State {
  settings::Settings settings;
  collective::Overrides overrides{};
  std::vector<collective::Row> rows;
  group::Options group;
  Place place;
  int rank = 0;
  std::unique_ptr<Recording> recording;
  std::unique_ptr<team::HelperThreads> helpers;
};

// Made by start(), or by the first need where MPI_Init was not intercepted; ended by stop(). Never destroyed
// otherwise: a process may exit without MPI_Finalize while helper threads run.
std::atomic<State*> state{nullptr};
std::mutex making_state;

// Whether the library leaves MPI alone, as some processes do not have it. Written before `state` is. Relaxed:
// MPI was initialised by the thread that wrote it, and others must not call MPI before they know of that.
constinit std::atomic<bool> aside{false};

// Relaxed: one thread initialises MPI.
constinit std::atomic<bool> has_entered{false};

// The team of the transparent mode, if it is on; written before `state` is, and read after it. Never
// destroyed: threads of the program point to their places in it even after stop().
team::Team* transparent = nullptr;

/// The texts of all processes of `comm`, in the order of their ranks.
std::vector<std::string> gather_texts(const std::string& mine, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const auto ranks = static_cast<std::size_t>(size);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::vector<int> offsets(ranks + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  std::string all(static_cast<std::size_t>(offsets.back()), ' ');
  PMPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, comm);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

/// Local ranks that were all given the same share it out. Collective over the processes of the node.
Place find_place(MPI_Comm node) {
  Place place{Machine::local().usable(), 1, 1, 0, {}};
  int rank = 0;
  PMPI_Comm_rank(node, &rank);
  std::vector<Cpuset> given;
  for (const std::string& text : gather_texts(place.given.str(), node)) given.push_back(*Cpuset::parse(text));
  place.ranks = static_cast<int>(given.size());
  place.sharers = static_cast<int>(std::ranges::count(given, place.given));
  place.first_sharer = static_cast<int>(std::ranges::find(given, place.given) - given.begin());
  place.share = topology::share(Machine::local(), given, rank);
  return place;
}

/// The part of the staging memory that the node shares: half, of which messages take a share, and the rest is
/// in whole chunks.
std::size_t shared_staging(const settings::Settings& settings) {
  const std::size_t half = settings.staging / 2;
  const std::size_t share = message::arena_share(half);
  const std::size_t slot = pipeline::slot_stride(settings.chunk);
  return share + (half - share) / slot * slot;
}

Wanted wanted_of_arena(const settings::Settings& settings) {
  return {shared_staging(settings), settings.chunk,
          transport::Room::buffer_bytes(Machine::local().second_level_cache())};
}

/// The rows of the file that MPI_HELPER_TUNE names. Throws std::invalid_argument.
std::vector<collective::Row> read_rows(const std::string& path) {
  if (path == "off") return {};
  try {
    std::ifstream file(path);
    if (!file.is_open()) throw std::system_error(errno, std::generic_category());
    file.exceptions(std::ios::badbit);
    return collective::parse_rows(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception& wrong) { // of the file or of its text
    throw std::invalid_argument("MPI_HELPER_TUNE=" + path + ": " + wrong.what());
  }
}

/// The state as far as it does not take the other processes. Throws std::invalid_argument.
std::unique_ptr<State> read_settings() {
  auto made = std::make_unique<State>();
  made->settings = settings::read(settings::environment());
  const settings::Settings& set = made->settings;
  settings::parsed("MPI_HELPER_PLACEMENT", set.placement, [](const std::string& text) {
    return topology::parse_policy(text, Machine::local().usable());
  });
  made->overrides = settings::parsed("MPI_HELPER_ALGORITHM", set.algorithm, collective::parse_overrides);
  made->group = {settings::parsed("MPI_HELPER_GROUP_ALGORITHM", set.group_algorithm, group::parse_algorithm),
                 settings::parsed("MPI_HELPER_GROUP_OUTSIDER", set.group_outsider, group::parse_outsider)};
  made->rows = read_rows(set.tune);
  pipeline::set_staging(set.staging - shared_staging(set));
  return made;
}

/// As far as other processes are not needed, or not to be had.
void settle_alone(State& starting) {
  starting.place.given = starting.place.share = Machine::local().usable();
  transport::offer({starting.settings.chunk, collective::fingerprint()});
}

State& current() {
  if (State* const running = state.load(std::memory_order_acquire)) return *running;
  const std::lock_guard lock(making_state);
  if (state.load(std::memory_order_relaxed) == nullptr) {
    auto made = read_settings();
    settle_alone(*made);
    state.store(made.release(), std::memory_order_release);
  }
  return *state.load(std::memory_order_relaxed);
}

std::string describe(const Place& place) {
  return "given processing units " + place.given.str() + ", shared by " + std::to_string(place.sharers) +
         " ranks, own share " + place.share.str() + "; " + std::to_string(transport::arena::size() / 1024) +
         " KiB of memory shared with the node, and what MPI_Alloc_mem makes " +
         (transport::can_map() ? "is" : "is not") + "; the system " +
         (transport::peer_memory::can_copy() ? "copies" : "does not copy") + " from process to process";
}

void report(const State& running) {
  if (running.rank == 0) {
    for (const std::string& line : settings::describe(settings::environment())) print(line);
  }
  print("rank " + std::to_string(running.rank) + ": " + describe(running.place));
}

/// Once on a node: who waits so long may have reason to, and do so again and again, together with others.
void report_stall_once(const std::string& text) {
  if (!transport::node::first_to_report()) return;
  print(text + ". That has taken " + std::to_string(current().settings.stall_report.count()) +
        " s so far, which may be as it should be: this is said once. MPI_HELPER_STALL_REPORT sets when and "
        "whether");
}

team::Waiting waiting_of(const State& running) {
  team::Waiting waiting;
  if (running.settings.spin) waiting.spin = waiting.spin_in_crowd = *running.settings.spin;
  waiting.stall_report = running.settings.stall_report;
  if (running.settings.stall_report_is_set) {
    waiting.leave_report = waiting.stall_report;
    waiting.report = print;
  } else {
    waiting.report = report_stall_once;
  }
  return waiting;
}

/// Has the threads of the processes that were given the same counted together.
void join_crowd(const Place& place) {
  const int units = place.given.size();
  if (std::atomic<int>* const threads = transport::node::counter(place.first_sharer)) {
    threads->fetch_add(1, std::memory_order_relaxed);
    team::Crowd::set(*threads, units, place.sharers);
  } else { // as if each of them had as many as this one
    static constinit std::atomic<int> own{1};
    team::Crowd::set(own, units / place.sharers, 1);
  }
}

/// All ranks must choose alike: as rank 0 does.
void agree_on_algorithms(collective::Overrides overrides, std::vector<collective::Row> rows) {
  PMPI_Bcast(overrides.data(), static_cast<int>(sizeof overrides), MPI_BYTE, 0, MPI_COMM_WORLD);
  collective::set_overrides(overrides);
  auto count = static_cast<int>(rows.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  rows.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(rows.data(), count * static_cast<int>(sizeof(collective::Row)), MPI_BYTE, 0, MPI_COMM_WORLD);
  collective::set_rows(std::move(rows));
}

/// The team of the transparent mode is on if all ranks ask for it: what is in a phase here must be so
/// everywhere.
bool transparent_everywhere(int threads) {
  int least = threads;
  PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return least > 0;
}

/// Where the library's own threads go: onto processing units that the program's thread leaves free, while
/// there are any.
std::vector<Cpuset> places_for_helpers(const State& running, int helpers) {
  const Machine& machine = Machine::local();
  const Cpuset& share = running.place.share;
  const auto policy = topology::parse_policy(running.settings.placement, running.place.given);
  if (policy.kind != topology::Policy::Kind::none) {
    auto places = topology::place(machine, policy, share, helpers + 1);
    places.erase(places.begin()); // the program's own thread
    return places;
  }
  if (topology::oversubscribed((helpers + 1) * running.place.sharers, running.place.given)) return {};
  return topology::place_beside(machine, machine.thread_binding(), share, helpers);
}

void start_transparent_mode(State& starting) {
  const int threads = starting.settings.threads;
  auto made = std::make_unique<team::Team>(0, threads, waiting_of(starting));
  const auto places = places_for_helpers(starting, threads - 1);
  starting.helpers = std::make_unique<team::HelperThreads>(*made, threads - 1, [places](int helper) {
    if (places.empty()) return;
    try {
      Machine::local().bind_thread(places[static_cast<std::size_t>(helper)]);
    } catch (const std::system_error&) {
      // The system does not let us; the thread works where it is.
    }
  });
  transparent = made.release();
  message::act_outside();
}

void say_that_aside() {
  say_not_engaged("MPI Helper Teams of this version is not in all processes of the job, " +
                      Attendance::take().missing() + " lacks it",
                  "Link it to, or preload it in, every executable");
}

/// Without the other processes, of which some would not take part.
void stand_aside(State& starting) {
  settle_alone(starting);
  aside.store(true, std::memory_order_relaxed);
  if (is_asked() && Attendance::take().is_first_asked()) say_that_aside();
}

/// In a forked child there are no helper threads, and MPI is not its to use.
void forget_in_child() {
  if (State* const inherited = state.load(std::memory_order_relaxed)) {
    static_cast<void>(inherited->helpers.release());
  }
  transparent = nullptr;
  team::Crowd::forget();
  team::presence.stay_outside();
}

/// Collective over MPI_COMM_WORLD.
void begin_with_all(State& starting) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  starting.place = find_place(node);
  transport::node::make(node, starting.place.takes_turns());
  transport::Nodes::make(node, Machine::local().position(starting.place.share));
  join_crowd(starting.place);
  const Wanted wanted = wanted_of_arena(starting.settings);
  transport::arena::make(node, std::min(wanted.total(), starting.settings.arena /
                                                            static_cast<std::size_t>(starting.place.ranks)));
  transport::try_mapping(node);
  transport::peer_memory::try_copying(node);
  PMPI_Comm_free(&node);
  agree_on_algorithms(starting.overrides, starting.rows);
  transport::start_judging();
  const Division division = divide_arena(transport::arena::size(), wanted);
  transport::offer({division.chunk, collective::fingerprint(), starting.place.takes_turns()});
  message::start(starting.settings.announce);
  transport::traffic::start();
  sysgroup::pending::start();
  transport::Window::start(division.messages, division.frames);
  transport::Room::start(division.begin_of_rooms(), division.rooms);
  pipeline::set_shared_slots(division.begin_of_slots(), division.chunk);
  starting.recording = Recording::begin(starting.settings); // before any team is made
  if (transparent_everywhere(starting.settings.threads)) start_transparent_mode(starting);
}

} // namespace

void enter() noexcept {
  has_entered.store(true, std::memory_order_relaxed);
  try {
    Attendance::enter(is_asked());
  } catch (const std::bad_alloc&) {
    // The others take this process for one without the library, as it does itself.
  }
}

bool entered() noexcept {
  return has_entered.load(std::memory_order_relaxed);
}

void start() {
  auto starting = read_settings();
  PMPI_Comm_rank(MPI_COMM_WORLD, &starting->rank);
  if (Attendance::take().all_here()) {
    begin_with_all(*starting);
  } else {
    stand_aside(*starting);
  }
  if (starting->settings.report) report(*starting);
  pthread_atfork(nullptr, nullptr, forget_in_child);
  state.store(starting.release(), std::memory_order_release);
}

std::vector<std::string> stop() {
  const std::unique_ptr<State> stopping(state.exchange(nullptr));
  message::rescue(); // what follows blocks in MPI
  auto left_over = team::live();
  team::forget_all();
  team::presence.stay_outside();
  if (stopping) {
    stopping->helpers.reset();
    if (stopping->recording) stopping->recording->end();
  }
  sysgroup::Channel::free_predefined();
  transport::Shadow::free_predefined();
  message::stop();
  return left_over;
}

bool running() {
  int initialised = 0;
  int finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

team::Waiting waiting() {
  return waiting_of(current());
}

std::string placement() {
  return current().settings.placement;
}

group::Options group_options() {
  return current().group;
}

void place(team::Handle handle, int size, const std::string& placement) {
  const State& running = current();
  const Machine& machine = Machine::local();
  const auto policy = topology::parse_policy(placement, running.place.given);
  const int index = team::member(handle).index();
  const bool bind =
      policy.kind != topology::Policy::Kind::none && !topology::bound_already(machine, running.place.given);
  if (bind) {
    const auto places = topology::place(machine, policy, running.place.share, size);
    const topology::ThreadBinding binding(machine, places[static_cast<std::size_t>(index)]);
    team::on_free(handle, [binding] { binding.undo(); });
  }
  if (running.settings.report) {
    print("rank " + std::to_string(running.rank) + ", team " +
          std::to_string(team::member(handle).team().id()) + ":\n" +
          topology::binding_report({{index, machine.thread_binding(), bind}}));
  }
}

std::string describe_place() {
  return describe(current().place);
}

void expect_phases() {
  if (!aside.load(std::memory_order_relaxed)) {
    message::act_outside();
  } else if (Attendance::take().is_first_here()) {
    say_that_aside();
  }
}

team::Member* present_member() {
  if (aside.load(std::memory_order_relaxed)) return nullptr;
  if (!team::presence.undecided()) return team::presence.member();
  if (state.load(std::memory_order_acquire) == nullptr) return nullptr; // before MPI_Init: decide later
  if (transparent != nullptr) return &team::be_guest_of(*transparent);
  team::presence.stay_outside();
  return nullptr;
}

} // namespace helper::process
