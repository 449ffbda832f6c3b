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
#include <stdexcept>
#include <system_error>
#include <utility>

#include "collective/network.hpp"
#include "collective/nonblocking.hpp"
#include "collective/selection.hpp"
#include "groups/sysgroup/pending.hpp"
#include "groups/sysgroup/relays.hpp"
#include "message/message.hpp"
#include "native/attribute.hpp"
#include "pipeline/staging.hpp"
#include "process/attendance.hpp"
#include "process/binding.hpp"
#include "process/division.hpp"
#include "process/idle.hpp"
#include "process/models.hpp"
#include "process/notice.hpp"
#include "process/openmp.hpp"
#include "process/place.hpp"
#include "process/recording.hpp"
#include "process/unfollowed.hpp"
#include "reduction/user_function.hpp"
#include "settings/settings.hpp"
#include "team/bell.hpp"
#include "team/helper_threads.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"
#include "transport/communicator.hpp"
#include "transport/node_context.hpp"
#include "transport/nodes.hpp"
#include "transport/peer_memory.hpp"
#include "transport/region.hpp"
#include "transport/room.hpp"
#include "transport/shadow.hpp"
#include "transport/traffic.hpp"
#include "transport/window.hpp"
#include "transport/world.hpp"

#if __has_include(<sys/single_threaded.h>) // since glibc 2.32
#include <sys/single_threaded.h>
#endif

namespace helper::process {

namespace {

using topology::Cpuset;
using topology::Machine;

/// Holds what is so until the process ends, however often the library begins.
struct Lasting {
  settings::Settings settings;
  collective::Overrides overrides{};
  collective::Tuned tuned;
  groups::creation::Options group;
  ProcessPlace place;
  bool is_settled = false; ///< among the other processes, which the place tells of
  int rank = 0;
};

struct State : Lasting {
  State() = default;
  explicit State(const Lasting& lasting) : Lasting(lasting) {}

  std::unique_ptr<Recording> recording;
  std::unique_ptr<team::HelperThreads> helpers;
  std::unique_ptr<State> former; ///< other threads may still look at it

  // The number of members of the largest team that the program has made. It is relaxed: it is for a person.
  std::atomic<int> largest_team{0};
};

// It is made by the first need, and anew when the library begins with all processes. It is never destroyed: a
// process may exit without MPI_Finalize while helper threads run.
std::atomic<State*> state{nullptr};
std::mutex making_state;

// The settings were read from this environment; it is never destroyed, so that tools can always observe the
// library. The store is release: it is complete; pairs with setting().
std::atomic<const settings::Environment*> environment_read{nullptr};

enum class LifeStage {
  unseen, ///< nothing of MPI's beginning was seen: teams work, in whatever way MPI was initialised
  alone,  ///< MPI is left alone: not all processes have the library, or it has not begun with them
  begun   ///< with all processes
};
// It is written when all else is as it says. The load is acquire where a thread asks what it is to do, and
// pairs with that.
constinit std::atomic<LifeStage> stage{LifeStage::unseen};

// It is relaxed: one thread initialises MPI.
constinit std::atomic<bool> has_entered{false};

// Tells whether a team has been made. It is sequentially consistent, like the stage where both matter: of a
// thread that writes this and reads that, and one that does the reverse, one sees what the other has written.
constinit std::atomic<bool> phases_expected{false};

// This is the team of the transparent mode, if it is on; it is written before `stage` is, and read after it.
// It is never destroyed: threads of the program point to their places in it even after stop().
team::Team* transparent = nullptr;

/// Returns the part of the staging memory that the node shares: half, of which messages take a share, and the
/// rest is in whole chunks.
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

/// Reads the file that MPI_HELPER_TUNE names. Throws std::invalid_argument.
collective::Tuned read_tuned(const std::string& path) {
  if (path == "off") return {};
  try {
    std::ifstream file(path);
    if (!file.is_open()) throw std::system_error(errno, std::generic_category());
    file.exceptions(std::ios::badbit);
    return collective::parse_tuned(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception& wrong) { // of the file or of its text
    throw std::invalid_argument("MPI_HELPER_TUNE=" + path + ": " + wrong.what());
  }
}

/// Returns the state as far as it does not take the other processes. Throws std::invalid_argument.
std::unique_ptr<State> read_settings() {
  auto made = std::make_unique<State>();
  auto environment = std::make_unique<const settings::Environment>(settings::environment());
  made->settings = settings::read(*environment);
  const settings::Settings& set = made->settings;
  settings::parsed("MPI_HELPER_PLACEMENT", set.placement, [](const std::string& text) {
    return topology::parse_policy(text, Machine::local().usable());
  });
  made->overrides = settings::parsed("MPI_HELPER_ALGORITHM", set.algorithm, collective::parse_overrides);
  made->group = {
      settings::parsed("MPI_HELPER_GROUP_ALGORITHM", set.group_algorithm, groups::creation::parse_algorithm),
      settings::parsed("MPI_HELPER_GROUP_OUTSIDER", set.group_outsider, groups::creation::parse_outsider)};
  made->tuned = read_tuned(set.tune);
  pipeline::set_staging(set.staging - shared_staging(set));
  environment_read.store(environment.release(), std::memory_order_release);
  return made;
}

State& current() {
  if (State* const running = state.load(std::memory_order_acquire)) return *running;
  const std::lock_guard lock(making_state);
  if (state.load(std::memory_order_relaxed) == nullptr) {
    auto made = read_settings();
    made->rank = transport::world::own_rank();
    made->place.given = made->place.share = Machine::local().usable();
    transport::offer({made->settings.chunk, collective::fingerprint()});
    if (made->settings.user_operations_by_team) reduction::UserFunction::keep_all();
    state.store(made.release(), std::memory_order_release);
  }
  return *state.load(std::memory_order_relaxed);
}

/// Has `starting` take the place of the present state.
void succeed(std::unique_ptr<State> starting) {
  const std::lock_guard lock(making_state);
  starting->former.reset(state.load(std::memory_order_relaxed));
  state.store(starting.release(), std::memory_order_release);
}

/// Says for a person what messages between nodes are taken to cost; empty where there is one node.
std::string costs_between_nodes(const State& running) {
  if (transport::Nodes::first_elsewhere() == MPI_PROC_NULL) return {};
  const char* const network = collective::name_of_network(collective::network_costs());
  if (running.settings.tune != "off" || network == nullptr)
    return "messages between nodes are taken to cost what MPI_HELPER_TUNE says";
  return "messages between nodes are taken to cost what they do by " + std::string(network) +
         ", as some have shown";
}

/// Returns how many threads a process of this one's kind has, as far as teams tell.
int threads_of(const State& running) {
  return std::max({1, running.settings.threads, running.largest_team.load(std::memory_order_relaxed)});
}

void report(const State& running) {
  if (running.rank == 0) {
    for (const std::string& line : settings::describe(settings::environment())) {
      if (!line.ends_with("(default)")) print(line);
    }
    if (const std::string costs = costs_between_nodes(running); !costs.empty()) print("rank 0: " + costs);
  }
  print("rank " + std::to_string(running.rank) + ": " + describe(running.place, threads_of(running)));
}

/// Reports a stall once on a node: a thread that waits this long may have reason to, and do it again and
/// again, together with others.
void report_stall_once(const std::string& text) {
  print_once_on_node(Notice::stall, text + ". That has taken " +
                                        std::to_string(current().settings.stall_report.count()) +
                                        " s so far, which may be as it should be: this is said once. "
                                        "MPI_HELPER_STALL_REPORT sets when and whether");
}

team::Waiting waiting_of(const State& running) {
  team::Waiting waiting;
  if (running.settings.spin) waiting.spin = waiting.spin_if_oversubscribed = *running.settings.spin;
  waiting.stall_report = running.settings.stall_report;
  if (running.settings.stall_report_is_set) {
    waiting.leave_report = waiting.stall_report;
    waiting.report = print;
  } else {
    waiting.report = report_stall_once;
  }
  return waiting;
}

/// All ranks must choose alike: as rank 0 does.
void agree_on_algorithms(collective::Overrides overrides, collective::Tuned tuned, int rank) {
  const MPI_Comm all = transport::world::comm();
  PMPI_Bcast(overrides.data(), static_cast<int>(sizeof overrides), MPI_BYTE, 0, all);
  constexpr collective::Report say = print;
  collective::set_overrides(overrides, rank == 0 ? say : nullptr);
  std::vector<collective::Row>& rows = tuned.rows;
  auto count = static_cast<int>(rows.size());
  PMPI_Bcast(&count, 1, MPI_INT, 0, all);
  rows.resize(static_cast<std::size_t>(count));
  PMPI_Bcast(rows.data(), count * static_cast<int>(sizeof(collective::Row)), MPI_BYTE, 0, all);
  collective::set_rows(std::move(rows));
  PMPI_Bcast(&tuned.costs, static_cast<int>(sizeof tuned.costs), MPI_BYTE, 0, all);
  collective::set_network_costs(tuned.costs);
}

/// This is the least of what all processes say, word by word.
struct LeastOfAll {
  int threads;       ///< of the transparent mode, which is on where all ask for it: what is in a phase here
                     ///< must be so everywhere
  int units_for_all; ///< 0 where processes of any node take turns on processing units
};

LeastOfAll least_of_all(const State& starting) {
  LeastOfAll least{starting.settings.threads, starting.place.is_oversubscribed() ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, &least, 2, MPI_INT, MPI_MIN, transport::world::comm());
  return least;
}

/// Says where the library's own threads go: onto processing units that the program's thread leaves free,
/// while there are any.
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
  const int room = std::max(1, starting.place.given.size() / starting.place.sharers);
  const bool by_openmp = starting.settings.openmp && openmp::has_runtime();
  const int threads =
      starting.settings.openmp && !by_openmp ? openmp::threads_instead(room) : starting.settings.threads;
  // It is the same team whenever the library begins, since threads of the program keep their places in it.
  std::unique_ptr<team::Team> first;
  if (transparent == nullptr) first = std::make_unique<team::Team>(0, threads, waiting_of(starting));
  team::Team& team = first != nullptr ? *first : *transparent;
  const auto places = places_for_helpers(starting, threads - 1);
  const std::string& placement = starting.settings.placement;
  say_if_placement_is_unused(placement, threads - 1, by_openmp);
  starting.helpers =
      std::make_unique<team::HelperThreads>(team, threads - 1, [placement, places](int helper) {
        if (!places.empty()) bind_helper(placement, places[static_cast<std::size_t>(helper)]);
      });
  if (first != nullptr) transparent = first.release();
  say_if_threads_are_few(starting.helpers->count(), static_cast<std::size_t>(threads - 1),
                         starting.helpers->refusal());
  if (by_openmp)
    openmp::start(*transparent, room, starting.rank, starting.settings.report);
  else if (starting.settings.openmp && starting.rank == 0)
    openmp::say_absent(threads);
  message::act_outside();
}

/// In a forked child there are no helper threads, and MPI is not its to use.
void forget_in_child() {
  if (State* const inherited = state.load(std::memory_order_relaxed)) {
    static_cast<void>(inherited->helpers.release());
  }
  transparent = nullptr;
  openmp::forget();
  team::Oversubscription::forget();
  team::presence.stay_outside();
}

/// Rank 0 learns what messages between nodes cost, unless it has been told.
void find_costs(State& starting) {
  const int peer = transport::Nodes::first_elsewhere();
  if (peer == MPI_PROC_NULL) return;
  const MPI_Comm all = transport::world::comm();
  int is_told = starting.settings.tune != "off";
  PMPI_Bcast(&is_told, 1, MPI_INT, 0, all);
  if (is_told == 0 && (starting.rank == 0 || starting.rank == peer))
    starting.tuned.costs = collective::find_network(all, peer).costs;
}

/// Finds the place among the other processes, and shares memory with those of the node: the first time that
/// the library begins. Later the memory is used again. It is collective over all processes.
void settle(State& starting) {
  if (std::exchange(starting.is_settled, true)) return transport::arena().clear();
  const transport::NodeRanks node(transport::world::comm());
  starting.rank = transport::world::own_rank();
  starting.place = find_place(node);
  transport::node_state().make(node, starting.place.is_oversubscribed());
  transport::node_state().take();
  transport::Nodes::make(node, Machine::local().position(starting.place.share));
  count_processes(starting.place);
  const std::size_t part =
      std::min(wanted_of_arena(starting.settings).total(), starting.settings.arena / node.count());
  transport::arena().make(node, part);
  say_if_arena_is_small(settings::environment(), transport::arena().size(), part);
  transport::try_mapping(node);
  transport::peer_memory::try_copying(node);
  find_costs(starting);
}

/// Prints which settings are not followed, with all processes, collectively.
void say_what_is_not_followed(const State& starting, std::size_t chunk, int least_threads) {
  const settings::Environment environment = settings::environment();
  say_unknown_names(environment);
  say_differing_from_rank_0(environment, starting.rank);
  say_if_transparent_mode_is_off(starting.settings, least_threads);
  say_if_chunk_is_small(environment, starting.settings.chunk, chunk);
  say_if_spans_are_unused(environment, starting.settings);
  if (starting.rank == 0) say_unused_rows(starting.settings, starting.tuned.rows);
}

/// Begins with all processes, collectively.
void begin_with_all(State& starting) {
  settle(starting);
  agree_on_algorithms(starting.overrides, starting.tuned, starting.rank);
  const Division division = divide_arena(transport::arena().size(), wanted_of_arena(starting.settings));
  transport::offer({division.chunk, collective::fingerprint(), starting.place.is_oversubscribed()});
  message::start(starting.settings.announce);
  collective::start_nonblocking();
  transport::traffic::start();
  groups::sysgroup::pending::start();
  groups::sysgroup::relays::start();
  transport::Window::start(division.messages, division.frames);
  transport::Room::start(division.begin_of_rooms(), division.rooms);
  pipeline::set_shared_slots(division.begin_of_slots(), division.chunk);
  starting.recording = Recording::begin(starting.settings); // before any team is made
  // A process that has come here knows that all have cleared their parts of the arena.
  const LeastOfAll least = least_of_all(starting);
  groups::creation::start(least.units_for_all == 0);
  say_what_is_not_followed(starting, division.chunk, least.threads);
  if (least.threads > 0) start_transparent_mode(starting);
}

/// Tells whether the process is known to have no other thread.
bool has_one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

} // namespace

void enter() noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [] {
      has_entered.store(true, std::memory_order_relaxed);
      // MPI may start threads. Of a process with one thread the system takes note at once; with more it waits
      // until each processor has changed threads, which takes milliseconds. Later it is known already.
      if (has_one_thread()) team::Bell::register_membarrier();
      Attendance::enter(is_asked());
    });
  } catch (const std::bad_alloc&) {
    // The others take this process for one without the library, as it does itself.
  }
}

bool entered() noexcept {
  return has_entered.load(std::memory_order_relaxed);
}

void start_alone() {
  current();
  LifeStage before = LifeStage::unseen;
  stage.compare_exchange_strong(before, LifeStage::alone);
}

bool begun() noexcept {
  return stage.load(std::memory_order_acquire) == LifeStage::begun;
}

void start_with(const OwnCommunicators& own) {
  if (own.messages == MPI_COMM_NULL || own.operations == MPI_COMM_NULL) return;
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, forget_in_child); });
  transport::world::make(own.messages, own.operations);
  transport::own_is(own.self);
  auto starting = std::make_unique<State>(static_cast<const Lasting&>(current()));
  begin_with_all(*starting);
  if (starting->settings.report) report(*starting);
  succeed(std::move(starting));
  stage.store(LifeStage::begun);
  if (phases_expected) message::act_outside();
}

void report_alone() {
  if (current().settings.report) report(current());
}

void leave_predefined() {
  native::Attributes::reset_predefined();
  if (!begun()) transport::free_own();
}

std::vector<std::string> forget_teams() {
  auto left_over = team::live();
  team::forget_all();
  return left_over;
}

void stop() {
  message::rescue(); // what follows blocks in MPI
  stage.store(LifeStage::alone);
  State* const stopping = state.load(std::memory_order_acquire);
  openmp::stop();
  if (stopping != nullptr) {
    stopping->helpers.reset();
    if (stopping->recording)
      stopping->recording->end(describe_crowding(stopping->place, threads_of(*stopping)));
  }
  message::stop();
  collective::stop_nonblocking();
  native::Attributes::free();
  reduction::UserFunction::forget_all();
  if (stopping != nullptr) stopping->recording.reset();
  transport::world::free();
  transport::free_own();
}

bool running() {
  return native::are_predefined() || models::has_sessions();
}

team::Waiting waiting() {
  return waiting_of(current());
}

std::string setting(const settings::Variable& variable) {
  const auto* const read = environment_read.load(std::memory_order_acquire);
  return settings::text(variable, read != nullptr ? *read : settings::environment());
}

std::string placement() {
  return current().settings.placement;
}

groups::creation::Options group_options() {
  return current().group;
}

void place(team::Handle handle, int size, const std::string& placement) {
  State& running = current();
  int largest = running.largest_team.load(std::memory_order_relaxed);
  while (largest < size &&
         !running.largest_team.compare_exchange_weak(largest, size, std::memory_order_relaxed)) {
  }
  const Machine& machine = Machine::local();
  const auto policy = topology::parse_policy(placement, running.place.given);
  const int index = team::member(handle).index();
  bool is_bound = false;
  if (policy.kind != topology::Policy::Kind::none) {
    const auto places = topology::place(machine, policy, running.place.share, size);
    const auto binding = bind_member(placement, running.place.given, places[static_cast<std::size_t>(index)]);
    is_bound = binding.has_value();
    if (is_bound) team::on_free(handle, [binding] { binding->undo(); });
  }
  if (running.settings.report) {
    print("rank " + std::to_string(running.rank) + ", team " +
          std::to_string(team::member(handle).team().id()) + ":\n" +
          topology::binding_report({{index, machine.thread_binding(), is_bound}}));
  }
}

std::string describe_place() {
  return describe(current().place, std::max(2, threads_of(current()))); // a helper is what the user thinks of
}

std::string describe_network() {
  return costs_between_nodes(current());
}

void expect_phases() {
  phases_expected = true;
  if (stage.load() == LifeStage::alone)
    say_why_idle();
  else
    message::act_outside();
}

bool expects_phases() noexcept {
  return phases_expected;
}

team::Member* present_member() {
  const LifeStage now = stage.load(std::memory_order_acquire);
  if (now == LifeStage::alone) return nullptr;
  if (now == LifeStage::unseen) say_if_unseen();
  if (!team::presence.undecided()) return team::presence.member();
  if (now != LifeStage::begun) return nullptr; // decide later
  if (transparent != nullptr) return &team::be_guest_of(*transparent);
  team::presence.stay_outside();
  return nullptr;
}

} // namespace helper::process
