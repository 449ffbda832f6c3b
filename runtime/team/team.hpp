// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "team/bell.hpp"
#include "team/hooks.hpp"
#include "team/pause.hpp"
#include "team/work_list.hpp"
#include "trace/track.hpp"

namespace helper::team {

/// A call that breaks the interface's rules. The text names the argument or state and its value.
class Misuse : public std::logic_error {
public:
  /// `argument`: the value is never valid. `state`: the value is only invalid at this moment.
  enum class Kind { argument, state };

  Misuse(Kind kind, const std::string& text) : std::logic_error(text), kind_(kind) {}

  Kind kind() const noexcept { return kind_; }

private:
  Kind kind_;
};

class Team;

/// How the members of a team wait.
struct Waiting {
  /// How long a member spins before it sleeps: if all threads can have cores; if not.
  std::chrono::nanoseconds spin = std::chrono::microseconds(100);
  std::chrono::nanoseconds spin_if_oversubscribed{0};
  /// When a wait is reported as stalled. The second time is for LEAVE and FENCE, where helpers are idle while
  /// others compute. Zero means never.
  std::chrono::nanoseconds stall_report{0};
  std::chrono::nanoseconds leave_report{0};
  /// Receives the report. The thread that waits calls it.
  void (*report)(const std::string& text) = nullptr;

  std::chrono::nanoseconds time_to_spin(bool oversubscribed) const noexcept {
    return oversubscribed ? spin_if_oversubscribed : spin;
  }
};

/// Reports once that a wait has taken suspiciously long. A wait of few polls does not read the clock.
class StallWatch {
public:
  using Clock = Doorbell::Clock;

  /// Reports after `limit`; if that is zero, never.
  StallWatch(const Waiting& waiting, std::chrono::nanoseconds limit) noexcept
      : report_(limit == limit.zero() ? nullptr : waiting.report), limit_(limit) {}

  /// Returns when the wait becomes too long, counted from the first call.
  Clock::time_point due() noexcept;

  /// Call it after each unsuccessful poll. Reads the clock from time to time. If the wait has become too
  /// long, reports the std::string that `describe()` returns.
  template <class Describe>
  void look(const Describe& describe) noexcept {
    if (++looks_ % looks_between_clock_reads == 0) look_at_clock(describe);
  }

  /// Does the same, but reads the clock at once. If the text cannot be made, there is no report.
  template <class Describe>
  void look_at_clock(const Describe& describe) noexcept {
    if (report_ == nullptr || Clock::now() < due()) return;
    const auto report = std::exchange(report_, nullptr);
    try {
      report(describe());
    } catch (const std::exception&) {
    }
  }

private:
  // A poll is followed by a nap of at most 4 ms, so a report is late by tenths of a second at most.
  static constexpr unsigned looks_between_clock_reads = 32;

  void (*report_)(const std::string& text);
  const std::chrono::nanoseconds limit_;
  Clock::time_point due_{};
  unsigned looks_ = 0;
};

class Member;

/// Functions that waiting primaries call between two polls. They return whether there was work.
using Background = bool (*)(Member&) noexcept;

/// Adds a layer's function, unless it has been added. Called at MPI_Init, before there are members.
void add_background(Background work);

/// A thread's place in a team. Only that thread calls its functions, unless documented otherwise.
class Member {
public:
  Member(Team& team, int index);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  Team& team() const noexcept { return team_; }
  int index() const noexcept { return index_; }
  /// Returns the track on which the member is recorded; nullptr if nothing is recorded.
  trace::Track* track() const noexcept { return track_; }

  /// Offers the job to all members that are blocked, or will be before it is finished. Never blocks. If the
  /// work list is full, the calling thread runs the job itself.
  WorkList::Ticket publish(const Job& job) noexcept;

  /// Returns whether the job of `ticket` has finished; if so, the ticket becomes invalid.
  bool retire(WorkList::Ticket ticket) noexcept { return list_.retire(ticket); }

  /// Works on the job of `ticket`. Returns when it has finished; then the ticket is invalid. Waits only for
  /// threads that are running a chunk.
  void finish(WorkList::Ticket ticket, Woken woken = Woken::by_its_bell) noexcept;

  /// Finishes all jobs that the member has published. Call it before their data are destroyed.
  void finish_all() noexcept;

  /// Publishes the job and finishes it.
  void run(const Job& job, Woken woken = Woken::by_its_bell) noexcept;

  /// Does the same with the job of calling `work(begin, end)`, noexcept, over [0, size) in steps of `grain`.
  template <class Work>
  void run(trace::Stage stage, std::size_t size, std::size_t grain, const Work& work) noexcept {
    run(Job::of(stage, size, grain, work));
  }

  /// Runs one chunk, of its own jobs first, then of the others'. Returns false if there was none.
  bool help() noexcept;

  /// Works for the team until `done()` is true, which is polled at least once and between any two chunks: how
  /// a thread blocked in MPI lends itself. `describe()` names the awaited operation for a stall report.
  /// `woken`: what wakes the thread if it sleeps in between. `now_and_then()` runs after some unsuccessful
  /// polls, and after a sleep with an unsuccessful poll. Use it for checks too costly for every poll.
  template <class Done, class Describe, class NowAndThen>
  void lend_until(Done&& done, Describe&& describe, Woken woken, NowAndThen&& now_and_then);
  template <class Done, class Describe>
  void lend_until(Done&& done, Describe&& describe, Woken woken) {
    lend_until(done, describe, woken, [] {});
  }

  /// Runs the functions of add_background(). Returns false if there was nothing to do. Primaries call it
  /// while they wait in MPI.
  bool attend() noexcept;

  /// Records why the team does not carry the member's current MPI call. Returns std::nullopt, with which the
  /// caller leaves the call to native MPI.
  std::nullopt_t decline(const char* reason) const {
    if (track_ != nullptr) [[unlikely]]
      track_->decline(reason);
    return std::nullopt;
  }

  /// Records the algorithm that carries the call. The name is a string literal.
  void carried_by(const char* algorithm) const noexcept {
    if (track_ != nullptr) [[unlikely]]
      track_->carried_by(algorithm);
  }

  /// Records, while the result lives, that the member runs one of its own chunks, of `size`.
  trace::Chunk own_chunk(trace::Stage stage, std::size_t size) const noexcept {
    return {track_, stage, track_ == nullptr ? nullptr : track_->operation(), index_, size};
  }

  /// Returns the number of other members' chunks that this member has run. Any thread may call it.
  std::uint64_t chunks_helped() const noexcept { return chunks_helped_.load(std::memory_order_relaxed); }

private:
  friend class Team;

  void run_here(const Job& job) noexcept;

  enum class Phase : std::uint8_t { outside, joined, meeting, arrived };

  Team& team_;
  const int index_;
  trace::Track* track_; // set with the member, or when it joins
  // The member added before this one. It is constant once the member is reachable from Team::newest_.
  Member* older_ = nullptr;
  WorkList list_;
  // The phase of the member. Its thread writes it. Other threads read it only for reports.
  std::atomic<Phase> phase_{Phase::outside};
  // Only the member's thread writes it; a statistic that orders nothing.
  std::atomic<std::uint64_t> chunks_helped_{0};
  // True while a thread holds this place. Team::add sets it; Team::vacate clears it.
  std::atomic<bool> held_{true};
};

/// The threads of a team, which lend themselves to one another between JOIN and LEAVE.
///
/// A phase ends for all members at once: each counts itself in `arrived_`, and the one that makes the count
/// reach the team's size starts the next phase. Waiting members work.
///
/// The models are tests/models/meetings.pml and phases.pml.
class Team {
public:
  /// The id of internal teams of one member, which is in no phase. They are not recorded.
  static constexpr int solo = -1;

  /// Makes a team in which `size` members complete a LEAVE. `id` is for messages.
  Team(int id, int size, const Waiting& waiting);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int id() const noexcept { return id_; }
  /// Returns the number of members that complete a LEAVE, plus guests. Any thread may call it.
  int size() const noexcept { return size_ + guests_.load(std::memory_order_relaxed); }
  /// Returns how many members share work now: one, and those for which there is room. Any thread may call it.
  int at_work() const noexcept { return std::min(Oversubscription::room(), size() - 1) + 1; }
  const Waiting& waiting() const noexcept { return waiting_; }

  /// Gives the calling thread a place, a vacated one if possible. Any thread may call it. There may be more
  /// members than size(), as in the team of the transparent mode, which nobody leaves.
  Member& add();

  /// Ends the member's part in the team: no further phase can complete, so JOIN and LEAVE fail from now on. A
  /// member may be dropped in a phase, for example when its thread ends. The member's thread calls it.
  void drop(Member& member) noexcept;

  /// Frees the place for add(), in a team that nobody leaves. The member's thread calls it.
  void vacate(Member& member) noexcept { member.held_.store(false, std::memory_order_release); }

  /// Begins the member's phase. Throws Misuse if a member is gone; its text names `function`.
  void join(Member& member, const char* function);

  /// Ends the member's phase: works until all members have arrived. Throws Misuse if a member is gone; the
  /// phase has ended anyway. `function` is the name in that text and in a stall report.
  void leave(Member& member, const char* function);

  /// From now on the team has `count` guests more, members that LEAVE does not require: for a team that
  /// nobody leaves. Any thread may call it.
  void add_guests(int count) noexcept { guests_.fetch_add(count, std::memory_order_relaxed); }

  /// Brings all members together within a phase. One is the leader: a member with `may_lead`, if there is
  /// one, and usually the last to come. It calls `act(parts)`, noexcept, while the others work for the team;
  /// then all return. parts[i] is the `part` of the member with index i. Throws Misuse, without calling
  /// `act`, if a member cannot come in this phase because it has called LEAVE or is gone. For members with
  /// indices below size(). `function` is the name in texts.
  template <class Act>
  void meet(Member& member, void* part, bool may_lead, const char* function, Act&& act);

  /// Returns the sum of the members' chunks_helped. Any thread may call it.
  std::uint64_t chunks_helped() const noexcept;

  /// Wakes every member that waits. Any thread may call it.
  void ring_all() noexcept { doorbell_.ring(INT_MAX); }

  /// Wakes an idle member to advance operations (see Hooks), unless threads are oversubscribed. Any thread
  /// may call it.
  void ring_for_progress() noexcept { doorbell_.ring(Oversubscription::if_all_ran() ? 0 : 1); }

  /// Works for the members until `stop()` is true. It is checked after every ring, and when the thread has
  /// slept for `nap`. For threads that do nothing else.
  template <class Stop>
  void serve(Member& member, Stop&& stop, Doorbell::Clock::duration nap = Doorbell::Clock::duration::max());

private:
  friend class Member;
  friend class Pause;

  static constexpr int nobody = -1;

  bool convene(Member& member, void* part, bool may_lead, const char* function);
  void adjourn() noexcept;

  template <class Over, class Hopeless>
  bool await(Member& member, Member::Phase awaited, const char* function, const Over& over,
             const Hopeless& hopeless);
  std::string missing(Member::Phase awaited) const;

  /// Returns whether a member that can only help continues to help. If threads are oversubscribed it would
  /// displace a thread that works, which finishes without it. Then it sleeps, as it does when it is idle.
  bool may_go_on() const noexcept {
    return !Oversubscription::by_threads() || waiting_.spin_if_oversubscribed != std::chrono::nanoseconds(0);
  }
  void wait_idle(Member& member, std::uint32_t seen, Doorbell::Clock::time_point until) noexcept;
  void ring_for_work(const Job& job) noexcept;
  void end_phase() noexcept;
  [[noreturn]] void throw_gone(const char* function) const;

  const int id_;
  const int size_;
  const Waiting waiting_;
  // The number of guests: a hint that orders nothing.
  std::atomic<int> guests_{0};
  // The members form a list, newest first, that only grows. The order is release and acquire: a thread that
  // finds a member finds it constructed.
  std::atomic<Member*> newest_{nullptr};
  std::atomic<int> members_{0};
  // What members bring to a meeting, by index. A member writes its element before it counts itself in
  // present_; the leader reads all once all are counted.
  std::vector<void*> parts_;

  // Every member reads the following when a phase or a meeting ends, so they share one line. arrived_ counts
  // the members that have called LEAVE in the present phase. The last one resets it, before it advances
  // phase_.
  alignas(64) std::atomic<int> arrived_{0};
  // The number of phases that have ended. The last member to arrive advances it; then each member leaves.
  std::atomic<std::uint32_t> phase_{0};
  // The number of members dropped. If there are any, no phase completes in which they have not arrived.
  std::atomic<int> gone_{0};
  // The number of members that have come to the present meeting. If a member arrives in LEAVE instead, each
  // of them withdraws, which keeps the count below size_. The leader resets it before it advances meetings_.
  std::atomic<int> present_{0};
  // A member that may lead the meeting. Each such member writes it before it counts itself in present_, so it
  // is final once all are present. The leader and each member that withdraws reset it.
  std::atomic<int> willing_{nobody};
  // The member that leads the meeting. Only the last member to come decides and writes it. If a willing
  // member took the lead as soon as all were present, it might finish before the last one has checked for a
  // willing member. The leader resets it.
  std::atomic<int> leader_{nobody};
  // The number of meetings that have ended. The leader advances it; then each member continues.
  std::atomic<std::uint32_t> meetings_{0};
  Doorbell doorbell_;
};

template <class Act>
void Team::meet(Member& member, void* part, bool may_lead, const char* function, Act&& act) {
  static_assert(noexcept(act(std::span<void* const>())), "the others could not be told");
  if (convene(member, part, may_lead, function)) {
    act(std::span<void* const>(parts_));
    adjourn();
  }
  member.phase_.store(Member::Phase::joined, std::memory_order_relaxed);
}

template <class Done, class Describe, class NowAndThen>
void Member::lend_until(Done&& done, Describe&& describe, Woken woken, NowAndThen&& now_and_then) {
  if (done()) return;
  StallWatch stall(team_.waiting(), team_.waiting().stall_report);
  Pause pause(*this, woken);
  bool now = false;
  while (!done()) {
    if (help() || attend()) {
      pause.end();
      continue;
    }
    stall.look(describe);
    if (now) now_and_then();
    now = pause.take();
  }
}

template <class Stop>
void Team::serve(Member& member, Stop&& stop, Doorbell::Clock::duration nap) {
  using Clock = Doorbell::Clock;
  for (;;) {
    const std::uint32_t seen = doorbell_.rings();
    if (stop()) return;
    if (member.help() ? may_go_on() : hooks.advance(member)) continue;
    trace::wait(member.track());
    const bool naps = nap != Clock::duration::max();
    wait_idle(member, seen, naps ? Clock::now() + nap : Clock::time_point::max());
  }
}

} // namespace helper::team
