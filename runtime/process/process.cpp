// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/process.hpp"

#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "collective/nonblocking.hpp"
#include "lifetime/at_end.hpp"
#include "message/message.hpp"
#include "native/attribute.hpp"
#include "process/attendance.hpp"
#include "process/models.hpp"
#include "process/notices.hpp"
#include "process/openmp.hpp"
#include "process/state.hpp"
#include "ranks/communicator.hpp"
#include "ranks/world.hpp"
#include "reduction/user_function.hpp"
#include "settings/settings.hpp"
#include "team/bell.hpp"
#include "team/helper_threads.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"

#if __has_include(<sys/single_threaded.h>) // since glibc 2.32
#include <sys/single_threaded.h>
#endif

namespace helper::process {

namespace {

using topology::Cpuset;
using topology::Machine;

enum class LifeStage {
  unseen, ///< the library has not seen MPI begin: teams work, however MPI was initialised
  alone,  ///< MPI calls are native: not all processes have the library, or it has not begun with them
  begun   ///< with all processes
};

constinit struct {
  // Written last, when all other state is ready. The release pairs with the acquire of a reading thread.
  std::atomic<LifeStage> stage{LifeStage::unseen};
  // Relaxed: only one thread initialises MPI.
  std::atomic<bool> has_entered{false};
  // Whether a team has been made. expect_phases() writes this and reads `stage`; start_with() does the
  // reverse. All four accesses are sequentially consistent, so one of the threads sees the other's write.
  std::atomic<bool> phases_expected{false};
  // The team of the transparent mode, if it is on. Written before `stage`, and read after it. It is never
  // destroyed: threads of the program point to their places in it even after stop().
  team::Team* transparent = nullptr;
} life;

/// Returns the number of threads of this process's largest team, taken as typical of all processes.
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

/// Reports a stall once per node, since a long wait may be intended, and many threads may wait repeatedly.
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

/// Returns the variables that make the program's OpenMP runtime bind threads, with their values: " (A=B)".
std::string variables_of_openmp() {
  std::string found;
  for (const char* const name :
       {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_HW_SUBSET"}) {
    if (const char* const value = std::getenv(name))
      found += std::string(found.empty() ? " (" : ", ") + name + "=" + value;
  }
  return found.empty() ? found : found + ")";
}

void say_refused(const Cpuset& place, const char* why) {
  print_once_on_node(Notice::placement_refused, "a thread is not bound to processing unit " + place.str() +
                                                    " and stays where it is: " + why);
}

/// Prints that nothing is bound, if hwloc describes another machine than this one.
void say_if_imagined(const Machine& machine) {
  if (!machine.is_this_system())
    print_once_on_node(Notice::placement_imagined,
                       "no thread is bound: hwloc describes another machine, since HWLOC_SYNTHETIC or "
                       "HWLOC_XMLFILE is set and HWLOC_THISSYSTEM=1 is not");
}

/// Binds the calling thread, which the library has started, to `place`. If the system refuses, the thread
/// stays unbound. The function prints that, unless `placement` is "none".
void bind_helper(const std::string& placement, const Cpuset& place) noexcept {
  try {
    Machine::local().bind_thread(place);
  } catch (const std::system_error& refused) {
    if (placement != "none") say_refused(place, refused.what());
  }
}

/// Binds the calling thread, a member of a team of the program, to `place`. Returns a function that undoes
/// it; nullptr if the system refuses, or if the program has bound the thread to only a part of `given`.
std::function<void()> bind_member(const std::string& placement, const Cpuset& given, const Cpuset& place) {
  const Machine& machine = Machine::local();
  if (topology::bound_already(machine, given)) {
    print_once_on_node(Notice::placement_of_bound_thread,
                       "placement " + placement + " is not followed: a member's thread was bound to " +
                           machine.thread_binding().str() + " before" + variables_of_openmp() +
                           ", and that binding stays");
    return nullptr;
  }
  say_if_imagined(machine);
  try {
    return topology::bind_until_undone(machine, place);
  } catch (const std::system_error& refused) {
    say_refused(place, refused.what());
    return nullptr;
  }
}

/// If MPI_HELPER_PLACEMENT is set and binds no thread in transparent mode, prints why. The library has
/// started `helpers` threads. `by_openmp`: threads of OpenMP help instead.
void say_if_placement_is_unused(const std::string& placement, int helpers, bool by_openmp) {
  if (placement == "none") return;
  if (helpers != 0) return say_if_imagined(Machine::local());
  print_once_on_node(
      Notice::placement_unused,
      "MPI_HELPER_PLACEMENT=" + placement + " binds no thread in transparent mode: " +
          (by_openmp ? "OMP_PROC_BIND and OMP_PLACES bind those of OpenMP" : "the library starts none"));
}

/// Returns the places of the library's threads: cores that the program's thread leaves free; empty if none.
std::vector<Cpuset> places_for_helpers(const State& running, int helpers) {
  const Machine& machine = Machine::local();
  const Cpuset& share = running.place.share;
  const auto policy = topology::parse_policy(running.settings.placement, running.place.given);
  if (policy.kind != topology::Policy::PolicyKind::none) {
    auto places = topology::place(machine, policy, share, helpers + 1);
    places.erase(places.begin()); // the program's own thread
    return places;
  }
  if ((helpers + 1) * running.place.sharers > running.place.given.size()) return {};
  return topology::place_beside(machine, machine.thread_binding(), share, helpers);
}

void start_transparent_mode(State& starting) {
  const int room = std::max(1, starting.place.given.size() / starting.place.sharers);
  const bool by_openmp = starting.settings.openmp && openmp::has_runtime();
  const int threads =
      starting.settings.openmp && !by_openmp ? openmp::threads_instead(room) : starting.settings.threads;
  // The team is the same whenever the library begins, since threads of the program keep their places in it.
  std::unique_ptr<team::Team> first;
  if (life.transparent == nullptr) first = std::make_unique<team::Team>(0, threads, waiting_of(starting));
  team::Team& team = first != nullptr ? *first : *life.transparent;
  const auto places = places_for_helpers(starting, threads - 1);
  const std::string& placement = starting.settings.placement;
  say_if_placement_is_unused(placement, threads - 1, by_openmp);
  starting.helpers =
      std::make_unique<team::HelperThreads>(team, threads - 1, [placement, places](int helper) {
        if (!places.empty()) bind_helper(placement, places[static_cast<std::size_t>(helper)]);
      });
  if (first != nullptr) life.transparent = first.release();
  say_if_threads_are_few(starting.helpers->count(), static_cast<std::size_t>(threads - 1),
                         starting.helpers->refusal());
  if (by_openmp)
    openmp::start(*life.transparent, room, starting.rank, starting.settings.report);
  else if (starting.settings.openmp && starting.rank == 0)
    openmp::say_absent(threads);
  message::act_outside();
}

/// A forked child has no helper threads and must not use MPI.
void forget_in_child() {
  if (State* const inherited = present_state()) {
    static_cast<void>(inherited->helpers.release());
  }
  life.transparent = nullptr;
  openmp::forget();
  team::Oversubscription::forget();
  team::presence.stay_outside();
}

/// Returns whether the process certainly has no other thread.
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
      life.has_entered.store(true, std::memory_order_relaxed);
      // MPI may start threads. With one thread, registering for membarrier(2) takes no time. With more, it
      // waits until each core has switched threads, for milliseconds. Registering again later costs nothing.
      if (has_one_thread()) team::Bell::register_membarrier();
      Attendance::enter(is_asked());
    });
  } catch (const std::bad_alloc&) {
    // This process leaves no note. So all processes, itself included, assume that it lacks the library.
  }
}

bool entered() noexcept {
  return life.has_entered.load(std::memory_order_relaxed);
}

void start_alone() {
  current();
  LifeStage before = LifeStage::unseen;
  life.stage.compare_exchange_strong(before, LifeStage::alone);
}

bool begun() noexcept {
  return life.stage.load(std::memory_order_acquire) == LifeStage::begun;
}

bool is_everywhere(bool here, MPI_Comm comm) {
  int all = here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

void start_with(const OwnCommunicators& own, MPI_Comm comm) {
  if (!is_everywhere(own.messages != MPI_COMM_NULL && own.operations != MPI_COMM_NULL, comm)) return;
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, forget_in_child); });
  ranks::world::make(own.messages, own.operations);
  ranks::own_is(own.self);
  State& starting = current();
  const lifetime::AtEnd unless_begun([&starting]() noexcept {
    if (begun()) return;
    starting.helpers.reset();
    starting.recording.reset();
  });
  std::exception_ptr failure;
  const int threads = begin_with_all(starting);
  try {
    if (threads > 0) start_transparent_mode(starting);
  } catch (...) {
    failure = std::current_exception();
  }
  const bool have_all = is_everywhere(failure == nullptr, comm);
  if (failure != nullptr) std::rethrow_exception(failure);
  if (!have_all) return;
  if (starting.settings.report) report(starting);
  life.stage.store(LifeStage::begun);
  if (life.phases_expected) message::act_outside();
}

void report_alone() {
  if (current().settings.report) report(current());
}

void stop() {
  message::rescue(); // since stop() blocks in MPI
  life.stage.store(LifeStage::alone);
  State* const stopping = present_state();
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
  ranks::world::free();
  ranks::free_own();
}

bool running() {
  return native::are_predefined() || models::has_sessions();
}

team::Waiting waiting() {
  return waiting_of(current());
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
  if (policy.kind != topology::Policy::PolicyKind::none) {
    const auto places = topology::place(machine, policy, running.place.share, size);
    auto undo = bind_member(placement, running.place.given, places[static_cast<std::size_t>(index)]);
    is_bound = undo != nullptr;
    if (is_bound) team::on_free(handle, std::move(undo));
  }
  if (running.settings.report) {
    print("rank " + std::to_string(running.rank) + ", team " +
          std::to_string(team::member(handle).team().id()) + ":\n" +
          topology::binding_report(index, machine.thread_binding(), is_bound));
  }
}

std::string describe_place() {
  return describe(current().place, std::max(2, threads_of(current()))); // at least one helper
}

void expect_phases() {
  life.phases_expected = true;
  if (life.stage.load() == LifeStage::alone)
    say_why_idle();
  else
    message::act_outside();
}

bool expects_phases() noexcept {
  return life.phases_expected;
}

team::Member* present_member() {
  const LifeStage now = life.stage.load(std::memory_order_acquire);
  if (now == LifeStage::alone) return nullptr;
  if (now == LifeStage::unseen) say_if_unseen();
  if (!team::presence.undecided()) return team::presence.member();
  if (now != LifeStage::begun) return nullptr; // undecided until the library begins
  if (life.transparent != nullptr) return &team::be_guest_of(*life.transparent);
  team::presence.stay_outside();
  return nullptr;
}

} // namespace helper::process
