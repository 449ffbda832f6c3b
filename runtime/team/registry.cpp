// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/registry.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lifetime/never_destroyed.hpp"
#include "lifetime/of_thread.hpp"

namespace helper::team {

namespace {

/// A thread's membership in a team.
struct Membership {
  Handle handle;
  std::shared_ptr<Team> team;
  Member* member;
  std::function<void()> undo; // called when the thread frees the handle
};

/// The memberships of one thread. Only that thread uses them.
class Thread {
public:
  ~Thread();

  Membership& find(Handle handle, const char* function);

  std::vector<Membership> memberships;
  /// Returns the membership whose phase the thread is in, or nullptr.
  Membership* joined() { return joined_ == 0 ? nullptr : &find(joined_, ""); }
  void begin_phase(const Membership& membership, const char* function);
  void end_phase(const Membership& membership, const char* function);

  /// Identifies the thread while the process lives. Addresses and system thread ids are reused.
  const std::uint64_t id = next_id.fetch_add(1, std::memory_order_relaxed);
  Member* guest = nullptr;
  std::unique_ptr<Team> team_of_one; ///< a team of which the thread is the only member
  Member* alone = nullptr;
  /// Set while the thread is a member of any team.
  std::optional<Oversubscription::CountedThreads> place;

private:
  static inline std::atomic<std::uint64_t> next_id{0}; // smaller ids have been given out; orders nothing
  Handle joined_ = 0;
  Presence before_phase_;
};

Thread& self() {
  Thread* const own = lifetime::of_thread<Thread>();
  if (own == nullptr) throw std::bad_alloc();
  return *own;
}

/// A team, with the ids of the threads that have created it, and of those that still hold a handle.
struct Generation {
  std::shared_ptr<Team> team;
  std::vector<std::uint64_t> creators;
  std::vector<std::uint64_t> holders;

  bool complete() const { return creators.size() == static_cast<std::size_t>(team->size()); }
  bool ended() const { return complete() && holders.empty(); }
  bool created_by(const Thread& thread) const { return std::ranges::count(creators, thread.id) != 0; }
  bool held_by(const Thread& thread) const { return std::ranges::count(holders, thread.id) != 0; }
};

std::string team_text(int id) {
  return "team_id " + std::to_string(id);
}

struct Registry {
  Registry() noexcept;

  std::pair<Handle, std::shared_ptr<Team>> create(int id, int size, const Waiting& waiting,
                                                  const Thread& thread) {
    const std::lock_guard lock(mutex);
    Generation& generation = generation_for(id, size, waiting, thread);
    const Handle handle = new_handle();
    generation.creators.push_back(thread.id);
    generation.holders.push_back(thread.id);
    return {handle, generation.team};
  }

  void release(Handle handle, const Team& team, const Thread& thread) {
    const std::lock_guard lock(mutex);
    handles.erase(handle);
    const auto found = generations.find(team.id());
    if (found == generations.end()) return; // forget_all() has forgotten the team
    std::deque<Generation>& of_id = found->second;
    for (Generation& generation : of_id) {
      if (generation.team.get() == &team) std::erase(generation.holders, thread.id);
    }
    std::erase_if(of_id, [](const Generation& generation) { return generation.ended(); });
    if (of_id.empty()) generations.erase(found);
  }

  Generation& generation_for(int id, int size, const Waiting& waiting, const Thread& thread) {
    std::deque<Generation>& of_id = generations[id];
    for (const Generation& generation : of_id) {
      if (generation.held_by(thread)) {
        throw Misuse(Misuse::Kind::state, "MPI_Helper_team_create: this thread is already a member of " +
                                              team_text(id) + "; free its handle first");
      }
    }
    for (Generation& generation : of_id) {
      if (generation.complete() || generation.created_by(thread)) continue;
      if (generation.team->size() == size) return generation;
      throw Misuse(Misuse::Kind::argument,
                   "MPI_Helper_team_create: team_size " + std::to_string(size) + " for " + team_text(id) +
                       ", which other members created with " + std::to_string(generation.team->size()));
    }
    if (!of_id.empty() && !of_id.back().created_by(thread)) {
      throw Misuse(Misuse::Kind::state, "MPI_Helper_team_create: " + team_text(id) +
                                            " already has all of its " +
                                            std::to_string(of_id.back().team->size()) +
                                            " members; use another id, or free that team first");
    }
    return of_id.emplace_back(Generation{std::make_shared<Team>(id, size, waiting), {}, {}});
  }

  Handle new_handle() {
    do last_handle = last_handle == std::numeric_limits<Handle>::max() ? 1 : last_handle + 1;
    while (!handles.insert(last_handle).second);
    return last_handle;
  }

  std::mutex mutex; // guards everything below
  std::unordered_map<int, std::deque<Generation>> generations;
  std::unordered_set<Handle> handles;
  Handle last_handle = 0;
};

// Never destroyed: threads may end after the program's static objects.
constexpr auto& registry = lifetime::sole<Registry>;

// fork() locks the mutex, and parent and child unlock it. So the child's thread can end its memberships.
Registry::Registry() noexcept {
  const auto unlock = [] { registry().mutex.unlock(); };
  pthread_atfork([] { registry().mutex.lock(); }, unlock, unlock);
}

Thread::~Thread() {
  for (const Membership& membership : memberships) {
    membership.team->drop(*membership.member);
    registry().release(membership.handle, *membership.team, *this);
  }
  if (guest != nullptr) guest->team().vacate(*guest);
  presence.stay_outside();
}

Membership& Thread::find(Handle handle, const char* function) {
  const auto found = std::ranges::find(memberships, handle, &Membership::handle);
  if (found == memberships.end()) {
    throw Misuse(Misuse::Kind::argument,
                 std::string(function) + ": team " + std::to_string(handle) +
                     " is not a handle that the calling thread created and has not freed");
  }
  return *found;
}

void Thread::begin_phase(const Membership& membership, const char* function) {
  membership.team->join(*membership.member, function);
  joined_ = membership.handle;
  before_phase_ = presence;
  presence.enter(*membership.member);
}

void Thread::end_phase(const Membership& membership, const char* function) {
  joined_ = 0;
  presence = before_phase_;
  membership.team->leave(*membership.member, function);
}

Membership& find_joined(Handle handle, const char* function) {
  Membership& membership = self().find(handle, function);
  if (self().joined() != &membership) {
    throw Misuse(Misuse::Kind::state,
                 std::string(function) + ": the calling thread is not in a phase of team_id " +
                     std::to_string(membership.team->id()) + "; call MPI_Helper_join first");
  }
  return membership;
}

} // namespace

Handle create(int id, int size, const Waiting& waiting) {
  if (size < 1) {
    throw Misuse(Misuse::Kind::argument, "MPI_Helper_team_create: team_size " + std::to_string(size) +
                                             " of " + team_text(id) + " is less than 1");
  }
  auto [handle, team] = registry().create(id, size, waiting, self());
  Member& place = team->add();
  self().memberships.push_back({handle, std::move(team), &place, {}});
  if (!self().place) self().place.emplace();
  return handle;
}

void on_free(Handle handle, std::function<void()> undo) {
  self().find(handle, "MPI_Helper_team_create").undo = std::move(undo);
}

const Member& member(Handle handle) {
  return *self().find(handle, "MPI_Helper_team_create").member;
}

void free(Handle handle) {
  Membership& membership = self().find(handle, "MPI_Helper_team_free");
  if (self().joined() == &membership) {
    throw Misuse(Misuse::Kind::state, "MPI_Helper_team_free: the calling thread is in a phase of team_id " +
                                          std::to_string(membership.team->id()) +
                                          "; call MPI_Helper_leave first");
  }
  if (membership.undo) membership.undo();
  membership.team->drop(*membership.member);
  registry().release(handle, *membership.team, self());
  Thread& own = self();
  std::erase_if(own.memberships, [handle](const Membership& other) { return other.handle == handle; });
  if (own.memberships.empty() && own.guest == nullptr) own.place.reset();
}

void join(Handle handle) {
  Membership& membership = self().find(handle, "MPI_Helper_join");
  if (const Membership* joined = self().joined()) {
    throw Misuse(Misuse::Kind::state, "MPI_Helper_join: the calling thread is in a phase of team_id " +
                                          std::to_string(joined->team->id()) +
                                          " already; call MPI_Helper_leave first");
  }
  self().begin_phase(membership, "MPI_Helper_join");
}

void leave(Handle handle) {
  constexpr const char* function = "MPI_Helper_leave";
  self().end_phase(find_joined(handle, function), function);
}

void fence(Handle handle) {
  constexpr const char* function = "MPI_Helper_fence";
  const Membership& membership = find_joined(handle, function);
  self().end_phase(membership, function);
  self().begin_phase(membership, function);
}

Member& joined(Handle handle, const char* function) {
  return *find_joined(handle, function).member;
}

std::vector<std::string> live() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> lines;
  for (const auto& [id, of_id] : registry().generations) {
    for (const Generation& generation : of_id) {
      if (generation.holders.empty()) continue; // nobody has a handle now; more members may come
      lines.push_back(team_text(id) + ": " + std::to_string(generation.holders.size()) + " of " +
                      std::to_string(generation.team->size()) + " members hold a handle");
    }
  }
  return lines;
}

std::vector<std::string> forget_all() {
  auto lines = live();
  const std::lock_guard lock(registry().mutex);
  registry().generations.clear();
  return lines;
}

Member& be_guest_of(Team& team) {
  Thread& own = self();
  own.guest = &team.add();
  if (!own.place) own.place.emplace();
  presence.enter(*own.guest);
  return *own.guest;
}

Member& alone() {
  Thread& own = self();
  if (own.alone == nullptr) {
    own.team_of_one = std::make_unique<Team>(Team::solo, 1, Waiting{});
    own.alone = &own.team_of_one->add();
  }
  return *own.alone;
}

int uncounted() noexcept {
  const Thread* const own = lifetime::of_thread<Thread>();
  return own == nullptr || !own->place ? 1 : 0;
}

} // namespace helper::team
