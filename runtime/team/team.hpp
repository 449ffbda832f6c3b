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

#include "team/async_progress.hpp"
#include "team/bell.hpp"
#include "team/pause.hpp"
#include "team/work_list.hpp"
#include "trace/track.hpp"

namespace helper::team {

/// It reports a call that breaks the interface's rules. The text names the argument or state and its value.
class Misuse : public std::logic_error {
public:
  /// An `argument` is a value that cannot be; a `state` makes a value wrong that is fine at other moments.
  enum class Kind { argument, state };

  Misuse(Kind kind, const std::string& text) : std::logic_error(text), kind_(kind) {}

  Kind kind() const noexcept { return kind_; }

private:
  Kind kind_;
};

class Team;

/// How the members of a team wait.
struct Waiting {
  /// A member spins for so long before it sleeps: where all threads can have processing units; where not.
  std::chrono::nanoseconds spin = std::chrono::microseconds(100);
  std::chrono::nanoseconds spin_if_oversubscribed{0};
  /// A wait is reported as stalled after the first of these times, one in LEAVE or FENCE, where helpers are
  /// idle as long as others compute, after the second; zero means never.
  std::chrono::nanoseconds stall_report{0};
  std::chrono::nanoseconds leave_report{0};
  /// Receives the report. The thread that waits calls it.
  void (*report)(const std::string& text) = nullptr;

  std::chrono::nanoseconds time_to_spin(bool oversubscribed) const noexcept {
    return oversubscribed ? spin_if_oversubscribed : spin;
  }
};

/// Reports once that a wait has taken suspiciously long. A wait of few polls reads no clock.
class StallWatch {
public:
  using Clock = Doorbell::Clock;

  /// Reports after `limit`; if that is zero, never.
  StallWatch(const Waiting& waiting, std::chrono::nanoseconds limit) noexcept
      : report_(limit == limit.zero() ? nullptr : waiting.report), limit_(limit) {}

  /// Returns when the wait becomes too long, as counted from the first call on.
  Clock::time_point due() noexcept;

  /// Must be called after each poll without success. Looks at the clock now and then, and reports what
  /// `describe()`, a std::string, says if the wait has become too long.
  template <class Describe>
  void look(const Describe& describe) noexcept {
    if (++looks_ % looks_between_clock_reads == 0) look_at_clock(describe);
  }

  /// Does the same, but looks at the clock at once. Where the text cannot be made, there is no report.
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
  // A poll is followed by a nap of 4 ms at most, so a report is late by tenths of a second at most.
  static constexpr unsigned looks_between_clock_reads = 32;

  void (*report_)(const std::string& text);
  const std::chrono::nanoseconds limit_;
  Clock::time_point due_{};
  unsigned looks_ = 0;
};

class Member;

/// Functions that waiting primaries call between two polls. They return whether there was work.
using Background = bool (*)(Member&) noexcept;

/// Adds what a layer has to do, unless it has been added. It is called at MPI_Init, before there are members.
void add_background(Background work);

/// A member is a thread's place in a team. Its thread alone calls its functions, unless said otherwise.
class Member {
public:
  Member(Team& team, int index);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  Team& team() const noexcept { return team_; }
  int index() const noexcept { return index_; }
  /// Returns the track on which what the member does is recorded; nullptr where nothing is.
  trace::Track* track() const noexcept { return track_; }

  /// Offers the job to all members that are blocked, or will be before it is finished. Never blocks; if the
  /// work list is full, the job is run on the spot.
  WorkList::Ticket publish(const Job& job) noexcept;

  /// Returns true once the job of `ticket` is finished and the ticket spent.
  bool retire(WorkList::Ticket ticket) noexcept { return list_.retire(ticket); }

  /// Works on the job of `ticket` and returns when it is finished and the ticket spent. Waits only for
  /// threads that are in the middle of a chunk.
  void finish(WorkList::Ticket ticket, Woken woken = Woken::by_its_bell) noexcept;

  /// Finishes all jobs that the member has published: it is called before what they work on goes away.
  void finish_all() noexcept;

  /// Publishes the job and finishes it.
  void run(const Job& job, Woken woken = Woken::by_its_bell) noexcept;

  /// Does the same with the job of calling `work(begin, end)`, noexcept, over [0, size) in steps of `grain`.
  template <class Work>
  void run(trace::Stage stage, std::size_t size, std::size_t grain, const Work& work) noexcept {
    run(Job::of(stage, size, grain, work));
  }

  /// Runs one chunk, of the own jobs first, then of the others'; returns false if there was none.
  bool help() noexcept;

  /// Works for the team until `done()` is true, which is polled at least once and between any two chunks: how
  /// a thread blocked in MPI lends itself. `describe()` names the awaited operation for a stall report.
  /// `woken` says what it can rely on if it sleeps in between. `now_and_then()` is called after some polls
  /// without success, and after a sleep and a poll without success: for what would be too much at every poll.
  template <class Done, class Describe, class NowAndThen>
  void lend_until(Done&& done, Describe&& describe, Woken woken, NowAndThen&& now_and_then);
  template <class Done, class Describe>
  void lend_until(Done&& done, Describe&& describe, Woken woken) {
    lend_until(done, describe, woken, [] {});
  }

  /// Does what the process has to do besides whenever one of its threads waits in MPI, as add_background()
  /// says; returns false if there was nothing to do. It is for primaries.
  bool attend() noexcept;

  /// Records why the team does not carry the MPI call that the member is in. Returns what a way then returns.
  std::nullopt_t decline(const char* reason) const {
    if (track_ != nullptr) [[unlikely]]
      track_->decline(reason);
    return std::nullopt;
  }

  /// Records which algorithm carries that call. The name is a string literal.
  void carried_by(const char* algorithm) const noexcept {
    if (track_ != nullptr) [[unlikely]]
      track_->carried_by(algorithm);
  }

  /// Records, while the result lives, that the member runs a chunk of its own, of `size`.
  trace::Chunk own_chunk(trace::Stage stage, std::size_t size) const noexcept {
    return {track_, stage, track_ == nullptr ? nullptr : track_->operation(), index_, size};
  }

  /// Returns how many chunks of other members' jobs this member has run. Any thread may call it.
  std::uint64_t chunks_helped() const noexcept { return chunks_helped_.load(std::memory_order_relaxed); }

private:
  friend class Team;

  void run_here(const Job& job) noexcept;

  enum class Phase : std::uint8_t { outside, joined, meeting, arrived };

  Team& team_;
  const int index_;
  trace::Track* track_; // made with the member, or when it joins
  // The member added before this one. It is constant once the member is reachable from Team::newest_.
  Member* older_ = nullptr;
  WorkList list_;
  // The phase of the member. Its thread writes it. Other threads read it only for reports.
  std::atomic<Phase> phase_{Phase::outside};
  // It is written by the member's thread only, a statistic that orders nothing.
  std::atomic<std::uint64_t> chunks_helped_{0};
  // It is true while a thread holds this place. Team::add sets it, Team::vacate clears it.
  std::atomic<bool> held_{true};
};

/// The threads of a team lend themselves to one another between JOIN and LEAVE.
///
/// A phase ends for all members at once: each counts itself in `arrived_`, and the one that makes the count
/// reach the team's size starts the next phase. Waiting members work.
///
/// The models are tests/models/meetings.pml and phases.pml.
class Team {
public:
  /// The id of a team that no user knows: of one member, in no phase. What it does is not recorded.
  static constexpr int solo = -1;

  /// Makes a team in which `size` members make a LEAVE complete. `id` is for messages.
  Team(int id, int size, const Waiting& waiting);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int id() const noexcept { return id_; }
  /// Returns how many members a LEAVE takes, and guests that are there besides (see Guests). Any thread may
  /// call it.
  int size() const noexcept { return size_ + guests_.load(std::memory_order_relaxed); }
  /// Returns how many of them share work now: one, and those for whom there is room. Any thread may call it.
  int at_work() const noexcept { return std::min(Oversubscription::room(), size() - 1) + 1; }
  const Waiting& waiting() const noexcept { return waiting_; }

  /// Gives the calling thread a place; a vacated one if there is one. Any thread may call it. Members may
  /// come to exceed size(), as in the team of the transparent mode, which nobody leaves.
  Member& add();

  /// Ends the member's part in the team: no further phase can complete, so JOIN and LEAVE fail from now on. A
  /// member may be dropped in a phase, as happens when its thread ends. The member's thread calls it.
  void drop(Member& member) noexcept;

  /// Gives the place back to add(), for a team that nobody leaves. The member's thread calls it.
  void vacate(Member& member) noexcept { member.held_.store(false, std::memory_order_release); }

  /// Begins the member's phase. Throws Misuse when a member is gone; `function` is what its text names.
  void join(Member& member, const char* function);

  /// Ends the member's phase: works until all members have arrived. Throws Misuse if a member is gone; then
  /// the phase has ended anyway. `function` is the name in the text and in a stall report.
  void leave(Member& member, const char* function);

  /// While it lives, there are so many members more than those that LEAVE takes: for a team that nobody
  /// leaves. Any thread may make one.
  class Guests {
  public:
    Guests(Team& team, int count) noexcept : team_(team), count_(count) {
      team_.guests_.fetch_add(count_, std::memory_order_relaxed);
    }
    ~Guests() { team_.guests_.fetch_sub(count_, std::memory_order_relaxed); }
    Guests(const Guests&) = delete;
    Guests& operator=(const Guests&) = delete;

  private:
    Team& team_;
    const int count_;
  };

  /// Brings all members together within a phase. One is the leader: one of those that `may_lead`, if there
  /// are any, and as a rule the last of them to come. It calls `act(parts)`, noexcept, where parts[i] is what
  /// the member of index i has brought, while the others work for the team; then all return. Throws Misuse,
  /// without `act` having been called, when a member cannot come in this phase since it has called LEAVE or
  /// is gone. It is for members of indices below size(). `function` is what texts name.
  template <class Act>
  void meet(Member& member, void* part, bool may_lead, const char* function, Act&& act);

  /// Returns the sum of the members' chunks_helped. Any thread may call it.
  std::uint64_t chunks_helped() const noexcept;

  /// Wakes every member that waits. Any thread may call it.
  void ring_all() noexcept { doorbell_.ring(INT_MAX); }

  /// Wakes an idle member to look at AsyncProgress, unless threads take turns on cores. Any thread may call
  /// it.
  void ring_for_progress() noexcept { doorbell_.ring(Oversubscription::if_all_ran() ? 0 : 1); }

  /// Works for the members until `stop()` is true, which is looked at after every ring, and when the thread
  /// has slept for `nap`. It is for threads that do nothing else.
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

  /// Returns whether a member that has nothing to do but to help goes on with it. Where threads take turns it
  /// would displace one of those that work, which finish without it, and sleeps, as it does there when it is
  /// idle.
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
  // Each element is what one member brings to a meeting. The member writes it before it counts itself in
  // present_, the leader reads it once all have.
  std::vector<void*> parts_;

  // Every member looks at the following when a phase or a meeting ends, so they share one line. This one
  // counts the members that have called LEAVE in the present phase. The last resets it, before it advances
  // phase_.
  alignas(64) std::atomic<int> arrived_{0};
  // Counts the phases that have ended. The last member to arrive advances it, after which each member leaves.
  std::atomic<std::uint32_t> phase_{0};
  // Counts the members dropped. If there are any, no phase completes that they have not arrived in.
  std::atomic<int> gone_{0};
  // Counts the members that have come to the present meeting. Each withdraws when one has arrived in LEAVE
  // instead, which keeps the count below size_; the leader resets it before it advances meetings_.
  std::atomic<int> present_{0};
  // A member that may lead the meeting: each writes it before it counts itself in present_, so it is final
  // once all are present. The leader resets it, and so does each that withdraws.
  std::atomic<int> willing_{nobody};
  // The member that leads the meeting. The last to come writes it and alone decides: if one that is willing
  // took the lead as soon as it saw all present, it might be through before the last one has looked whether
  // there is one. The leader resets it.
  std::atomic<int> leader_{nobody};
  // Counts the meetings that have ended. The leader advances it, after which each member goes on.
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
    if (member.help() ? may_go_on() : AsyncProgress::advance(member)) continue;
    trace::wait(member.track());
    const bool naps = nap != Clock::duration::max();
    wait_idle(member, seen, naps ? Clock::now() + nap : Clock::time_point::max());
  }
}

} // namespace helper::team
