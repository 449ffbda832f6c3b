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
  /// How long a member spins before it sleeps. The second value applies if threads are oversubscribed.
  std::chrono::nanoseconds spin = std::chrono::microseconds(100);
  std::chrono::nanoseconds spin_if_oversubscribed{0};
  /// A wait of this length is reported as stalled; zero: never. The second value is for LEAVE and FENCE, in
  /// which helpers are idle while other threads compute.
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

  /// Returns the time at which the wait becomes too long: `limit` after the first call of this function.
  Clock::time_point due() noexcept;

  /// Call it after each unsuccessful poll. Reads the clock from time to time. If the wait has become too
  /// long, reports the std::string that `describe()` returns.
  template <class Describe>
  void look(const Describe& describe) noexcept {
    if (++looks_ % looks_between_clock_reads == 0) look_at_clock(describe);
  }

  /// Like look(), but reads the clock in every call. If `describe()` throws, there is no report.
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
  // Between two looks a thread naps for 4 ms at most, so a report is late by some tenths of a second at most.
  static constexpr unsigned looks_between_clock_reads = 32;

  void (*report_)(const std::string& text);
  const std::chrono::nanoseconds limit_;
  Clock::time_point due_{};
  unsigned looks_ = 0;
};

class Member;

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

  /// Offers the job to the members that wait now or come to wait before the job has finished. Never blocks.
  /// If the work list is full, the calling thread runs the whole job before this returns.
  WorkList::Ticket publish(const Job& job) noexcept;

  /// Returns whether the job of `ticket` has finished; if so, the ticket becomes invalid.
  bool retire(WorkList::Ticket ticket) noexcept { return list_.retire(ticket); }

  /// Runs chunks of the job of `ticket` until none is left, then waits for members that still run one. The
  /// ticket is invalid afterwards. `woken`: what wakes this thread if it sleeps in that wait.
  void finish(WorkList::Ticket ticket, Woken woken = Woken::by_its_bell) noexcept;

  /// Finishes all jobs that the member has published. Call it before the data of these jobs are destroyed.
  void finish_all() noexcept;

  /// Runs the job with the team. Returns when it has finished. A job of one chunk runs on this thread alone.
  void run(const Job& job, Woken woken = Woken::by_its_bell) noexcept;

  /// Runs a job with the team: calls `work(begin, end)`, noexcept, over [0, size) in steps of `grain`.
  template <class Work>
  void run(trace::Stage stage, std::size_t size, std::size_t grain, const Work& work) noexcept {
    run(Job::of(stage, size, grain, work));
  }

  /// Runs one chunk: of its own jobs, else of another member's. Returns false if the team has no chunk left.
  bool help() noexcept;

  /// Lends a thread that is blocked in MPI: runs chunks of the team until `done()` returns true. `done()` is
  /// polled at least once, and between any two chunks. `describe()` names the awaited operation for a stall
  /// report. `woken`: what wakes the thread if it sleeps. `now_and_then()`, for checks too costly for every
  /// poll, runs every 64 unsuccessful polls and when the poll after a sleep is unsuccessful.
  template <class Done, class Describe, class NowAndThen>
  void lend_until(Done&& done, Describe&& describe, Woken woken, NowAndThen&& now_and_then);
  template <class Done, class Describe>
  void lend_until(Done&& done, Describe&& describe, Woken woken) {
    lend_until(done, describe, woken, [] {});
  }

  /// Runs the functions of Hooks::background. Returns whether any found work. For threads that wait in MPI.
  bool attend() noexcept;

  /// Records why the team does not carry the member's current MPI call. Returns std::nullopt; the caller
  /// returns that value to leave the call to native MPI.
  std::nullopt_t decline(const char* reason) const {
    if (track_ != nullptr) [[unlikely]]
      track_->decline(reason);
    return std::nullopt;
  }

  /// Records the algorithm that carries the member's current MPI call. The name is a string literal.
  void carried_by(const char* algorithm) const noexcept {
    if (track_ != nullptr) [[unlikely]]
      track_->carried_by(algorithm);
  }

  /// Records, until the result is destroyed, that the member runs a chunk of its job with `size` elements.
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
  trace::Track* track_; // set by the constructor or by Team::join
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
/// A phase ends for all members at the same time. In LEAVE each member counts itself in `arrived_`; the one
/// that makes the count reach the team's size ends the phase. Members that wait for that run chunks.
///
/// The models are tests/models/meetings.pml and phases.pml.
class Team {
public:
  /// The id of internal teams of one member. That member is in no phase, and nothing is recorded of it.
  static constexpr int solo = -1;

  /// Makes a team whose LEAVE is complete when `size` members have called it. Messages and records name `id`.
  Team(int id, int size, const Waiting& waiting);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int id() const noexcept { return id_; }
  /// Returns the number of members for which LEAVE waits, plus the number of guests. Any thread may call it.
  int size() const noexcept { return size_ + guests_.load(std::memory_order_relaxed); }
  /// Returns how many members can work now: one, and others while cores are free. Any thread may call it.
  int at_work() const noexcept { return std::min(Oversubscription::room(), size() - 1) + 1; }
  const Waiting& waiting() const noexcept { return waiting_; }

  /// Gives the calling thread a place: a vacated one if there is one, else a new one. Any thread may call it.
  /// A team in which nobody calls LEAVE, as in transparent mode, may have more members than size().
  Member& add();

  /// Removes the member from the team. Phases in which it has not arrived cannot complete any more, so JOIN
  /// and LEAVE fail from now on. A phase may be under way. The member's thread calls it.
  void drop(Member& member) noexcept;

  /// Lets add() reuse the place. Only for teams in which nobody calls LEAVE. The member's thread calls it.
  void vacate(Member& member) noexcept { member.held_.store(false, std::memory_order_release); }

  /// Begins the member's phase. Throws Misuse if a member has been dropped; the text names `function`.
  void join(Member& member, const char* function);

  /// Ends the member's phase: runs chunks until all members have called leave(). If another member has been
  /// dropped before it called leave(), ends the phase anyway and throws Misuse. `function` is the name in the
  /// error's text and in a stall report.
  void leave(Member& member, const char* function);

  /// Adds `count`, which may be negative, to the number of guests: members for which LEAVE does not wait.
  /// Only for teams in which nobody calls LEAVE. Any thread may call it.
  void add_guests(int count) noexcept { guests_.fetch_add(count, std::memory_order_relaxed); }

  /// Brings all members together within a phase. All members with indices below size() call it. One of them
  /// leads: a member that passed `may_lead`, or the last to come if none did. The leader calls `act(parts)`,
  /// noexcept, while the others run chunks; then all return. parts[i] is the `part` that the member with
  /// index i passed. If a member has called LEAVE in this phase or has been dropped, throws Misuse without
  /// calling `act`. `function` is the name in texts.
  template <class Act>
  void meet(Member& member, void* part, bool may_lead, const char* function, Act&& act);

  /// Returns the sum of chunks_helped() over all members. Any thread may call it.
  std::uint64_t chunks_helped() const noexcept;

  /// Wakes every member that waits. Any thread may call it.
  void ring_all() noexcept { doorbell_.ring(INT_MAX); }

  /// Lets idle members advance operations (see Hooks): those that spin, and one that sleeps if there is a
  /// core for every thread. Any thread may call it.
  void ring_for_progress() noexcept { doorbell_.ring(Oversubscription::if_all_ran() ? 0 : 1); }

  /// Runs chunks of the members until `stop()` returns true. `stop()` is called after every ring, and when
  /// the thread has slept for `nap`. For threads that have nothing else to do.
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

  /// Returns whether a helper that has run a chunk looks for another chunk. If threads are oversubscribed,
  /// the helper would displace a thread that can finish alone. Then it sleeps, unless settings let it spin.
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
  // The list of members, newest first, which only grows. Release and acquire: found members are constructed.
  std::atomic<Member*> newest_{nullptr};
  std::atomic<int> members_{0};
  // The `part` that each member brings to a meeting, by index. A member writes its element before it counts
  // itself in present_. The leader reads the elements after all members are counted.
  std::vector<void*> parts_;

  // Every member reads the variables from here on when a phase or a meeting ends, so they share one cache
  // line. arrived_ counts the members that have called LEAVE in the present phase. The last member to call
  // LEAVE resets arrived_ before it advances phase_.
  alignas(64) std::atomic<int> arrived_{0};
  // The number of phases that have ended. The last member to call LEAVE advances it; then all leave.
  std::atomic<std::uint32_t> phase_{0};
  // The number of members that were dropped. A phase does not complete if one of them has not arrived in it.
  std::atomic<int> gone_{0};
  // The number of members that have come to the present meeting. If another member calls LEAVE instead, they
  // withdraw, so the number stays below size_. The leader resets it before it advances meetings_.
  std::atomic<int> present_{0};
  // The index of a member that may lead the meeting. Each member that may lead writes its index before it
  // counts itself in present_, so willing_ is final once all are present. Leader and withdrawing members
  // reset it.
  std::atomic<int> willing_{nobody};
  // The index of the member that leads the meeting, if it is not the last member to come. Only the last
  // member writes it. A willing member must not take the lead by itself once all are present: it could end
  // the meeting and reset willing_ before the last member has read willing_. The leader resets leader_.
  std::atomic<int> leader_{nobody};
  // The number of meetings that have ended. The leader advances it; then meet() returns at all members.
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
