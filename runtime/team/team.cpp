// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/team.hpp"

#include <algorithm>

#include "team/detours.hpp"
#include "trace/track.hpp"

namespace helper::team {

bool Member::attend() noexcept {
  bool did = false;
  for (const Background work : hooks.background) did |= work(*this);
  return did;
}

StallWatch::Clock::time_point StallWatch::due() noexcept {
  if (report_ == nullptr) return Clock::time_point::max();
  if (due_ == Clock::time_point{}) due_ = Clock::now() + limit_;
  return due_;
}

Member::Member(Team& team, int index)
    : team_(team), index_(index), track_(team.id() == Team::solo ? nullptr : trace::open(team.id(), index)),
      list_(index) {
  if (track_ != nullptr) detours::add();
}

Member::~Member() {
  if (track_ != nullptr) detours::remove();
  trace::close(track_);
}

WorkList::Ticket Member::publish(const Job& job) noexcept {
  const char* const operation = track_ == nullptr ? nullptr : track_->operation();
  const WorkList::Ticket ticket = list_.publish(job, operation, team_.at_work());
  if (ticket == WorkList::none) {
    run_here(job);
  } else {
    team_.ring_for_work(job);
  }
  return ticket;
}

void Member::run(const Job& job, Woken woken) noexcept {
  if (job.size <= job.grain) {
    run_here(job);
    return;
  }
  finish(publish(job), woken);
}

void Member::run_here(const Job& job) noexcept {
  if (job.size == 0) return;
  const trace::Chunk recorded = own_chunk(job.stage, job.size);
  job.run(job.context, 0, job.size);
}

void Member::finish(WorkList::Ticket ticket, Woken woken) noexcept {
  while (list_.work(ticket, track_)) {
  }
  if (!list_.has_run(ticket)) {
    Pause pause(*this, woken);
    do pause.take();
    while (!list_.has_run(ticket));
  }
  retire(ticket);
}

void Member::finish_all() noexcept {
  for (auto job = list_.outstanding(); job != WorkList::none; job = list_.outstanding()) finish(job);
}

bool Member::help() noexcept {
  if (list_.help(index_, track_)) return true;
  // The acquire also covers older members: each was added by a read-modify-write of newest_, with release.
  Member* const newest = team_.newest_.load(std::memory_order_acquire);
  // Each member starts after itself, so that members look at the others in different orders.
  const auto help_one_of = [this](Member* first, const Member* end) {
    for (Member* other = first; other != end; other = other->older_) {
      if (!other->list_.help(index_, track_)) continue;
      chunks_helped_.fetch_add(1, std::memory_order_relaxed);
      Bell::own().ring(); // the job's owner may be waiting for this chunk alone
      return true;
    }
    return false;
  };
  return help_one_of(older_, nullptr) || help_one_of(newest, this);
}

Team::Team(int id, int size, const Waiting& waiting)
    : id_(id), size_(size), waiting_(waiting), parts_(static_cast<std::size_t>(size)) {}

Team::~Team() {
  for (const Member* member = newest_.load(std::memory_order_relaxed); member != nullptr;) {
    const Member* older = member->older_;
    delete member;
    member = older;
  }
}

Member& Team::add() {
  for (Member* member = newest_.load(std::memory_order_acquire); member != nullptr; member = member->older_) {
    bool held = false;
    // The acquire pairs with the release in vacate: this thread sees what the place's former thread did.
    if (member->held_.compare_exchange_strong(held, true, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
      return *member;
    }
  }
  auto* member = new Member(*this, members_.fetch_add(1, std::memory_order_relaxed));
  Member* newest = newest_.load(std::memory_order_relaxed);
  do member->older_ = newest;
  while (
      !newest_.compare_exchange_weak(newest, member, std::memory_order_release, std::memory_order_relaxed));
  return *member;
}

void Team::drop(Member& member) noexcept {
  member.phase_.store(Member::Phase::outside, std::memory_order_relaxed);
  // The release pairs with the acquire in leave: a thread that finds this member gone also sees the end of
  // each phase in which this member had arrived.
  gone_.fetch_add(1, std::memory_order_release);
  ring_all();
}

void Team::join(Member& member, const char* function) {
  if (gone_.load(std::memory_order_relaxed) != 0) throw_gone(function); // LEAVE sees drops missed here
  if (member.track_ == nullptr && trace::is_on()) {
    member.track_ = trace::open(id_, member.index_);
    if (member.track_ != nullptr) detours::add();
  }
  member.phase_.store(Member::Phase::joined, std::memory_order_relaxed);
}

/// Runs chunks of the members until `over()` or `hopeless()` returns true. Returns the last result of
/// `over()`, which it calls once more after `hopeless()`. Stall reports list members not in phase `awaited`.
template <class Over, class Hopeless>
bool Team::await(Member& member, Member::Phase awaited, const char* function, const Over& over,
                 const Hopeless& hopeless) {
  StallWatch stall(waiting_,
                   awaited == Member::Phase::arrived ? waiting_.leave_report : waiting_.stall_report);
  for (;;) {
    const std::uint32_t seen = doorbell_.rings();
    if (over()) return true;
    if (member.help() ? may_go_on() : hooks.advance(member)) continue;
    if (hopeless()) return over(); // true if all came, and one was dropped afterwards
    trace::wait(member.track());
    wait_idle(member, seen, stall.due());
    if (over()) return true; // without reading the clock
    stall.look_at_clock([&] {
      return "member " + std::to_string(member.index()) + " of team_id " + std::to_string(id_) +
             " waits in " + function + "; " + missing(awaited);
    });
  }
}

/// Waits until the doorbell's rings() differs from `seen`, at most until `until`. If there are operations to
/// advance (see Hooks), the member advances them, and the bell of the process also wakes it. Neither happens
/// if it would take a core from a thread that works.
void Team::wait_idle(Member& member, std::uint32_t seen, Doorbell::Clock::time_point until) noexcept {
  const bool oversubscribed = Oversubscription::if_all_ran();
  const auto spin = waiting_.time_to_spin(oversubscribed);
  if (!hooks.pending() || oversubscribed) {
    if (doorbell_.spin(seen, spin)) return;
    const Oversubscription::Rest rest;
    return doorbell_.sleep(seen, until);
  }
  constexpr int polls_between_looks_at_the_clock = 64;
  const auto is_over = [&] { return doorbell_.rings() != seen || hooks.advance(member); };
  const auto spins_until = Doorbell::Clock::now() + spin;
  do {
    for (int polls = 0; polls < polls_between_looks_at_the_clock; ++polls) {
      if (is_over()) return;
      spin_pause();
    }
  } while (Doorbell::Clock::now() < spins_until);
  const std::uint32_t seen_of_process = Bell::own().announce(false);
  doorbell_.announce();
  if (!is_over()) {
    const Oversubscription::Rest rest;
    futex::wait_either(doorbell_.word(), seen, Bell::own().word(), seen_of_process, until);
  }
  doorbell_.retract();
}

void Team::leave(Member& member, const char* function) {
  const trace::Call recorded(member.track(), function);
  if (member.track() != nullptr) member.track()->went(trace::Way::lent);
  // Relaxed: this member has seen all earlier advances, and phase_ cannot advance before it arrives.
  const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
  member.phase_.store(Member::Phase::arrived, std::memory_order_relaxed);
  // Acquire and release: the last member to arrive sees what the others did before LEAVE, and passes that on
  // by advancing phase_. Sequentially consistent, like the load of present_: either this member sees the
  // members that have come to a meeting, or they see that this member will not come.
  if (arrived_.fetch_add(1, std::memory_order_seq_cst) + 1 == size_) {
    end_phase();
  } else {
    if (present_.load(std::memory_order_seq_cst) != 0) ring_all();
    const auto ended = [&] { return phase_.load(std::memory_order_acquire) != phase; };
    const auto one_is_gone = [&] { return gone_.load(std::memory_order_acquire) != 0; };
    if (!await(member, Member::Phase::arrived, function, ended, one_is_gone)) {
      member.phase_.store(Member::Phase::outside, std::memory_order_relaxed);
      throw_gone(function);
    }
  }
  member.phase_.store(Member::Phase::outside, std::memory_order_relaxed);
}

void Team::end_phase() noexcept {
  arrived_.store(0, std::memory_order_relaxed); // a member in the next phase has seen phase_ advance
  // Only this thread writes phase_ now, so a load and a store suffice. An atomic addition would fetch the
  // cache line that phase_ shares with the doorbell, and ring_all() would fetch it again.
  phase_.store(phase_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  ring_all();
}

/// Returns true at the leader once all members are present; false at the others once the meeting has ended.
bool Team::convene(Member& member, void* part, bool may_lead, const char* function) {
  // Relaxed: this member has seen all earlier advances, and meetings_ cannot advance before it comes.
  const std::uint32_t meeting = meetings_.load(std::memory_order_relaxed);
  const int self = member.index();
  // The part is usually the same as in the last meeting. Without a write its cache line stays in all caches.
  if (void*& mine = parts_[static_cast<std::size_t>(self)]; mine != part) mine = part;
  if (may_lead) willing_.store(self, std::memory_order_relaxed); // ordered by present_
  member.phase_.store(Member::Phase::meeting, std::memory_order_relaxed);
  // Acquire and release: the last member to come sees the parts of all. Sequentially consistent, like the
  // load of arrived_ below: if a member calls LEAVE, this member sees that, or the other sees this one.
  if (present_.fetch_add(1, std::memory_order_seq_cst) + 1 == size_) {
    const int willing = willing_.load(std::memory_order_relaxed);
    if (willing == nobody || willing == self) return true;
    leader_.store(willing, std::memory_order_release); // pairs with is_leader(): the leader sees all parts
    ring_all();
  }
  const auto is_leader = [&] { return leader_.load(std::memory_order_acquire) == self; };

  const auto decided = [&] { return meetings_.load(std::memory_order_acquire) != meeting || is_leader(); };
  const auto one_cannot_come = [&] {
    return arrived_.load(std::memory_order_seq_cst) != 0 || gone_.load(std::memory_order_acquire) != 0;
  };
  if (await(member, Member::Phase::meeting, function, decided, one_cannot_come)) return is_leader();

  // The member stays in Phase::meeting until it calls LEAVE, so that others do not report it as missing.
  willing_.store(nobody, std::memory_order_relaxed);
  present_.fetch_sub(1, std::memory_order_relaxed);
  if (gone_.load(std::memory_order_relaxed) != 0) throw_gone(function);
  throw Misuse(Misuse::Kind::state, std::string(function) + ": team_id " + std::to_string(id_) +
                                        " cannot come together in this phase; " +
                                        missing(Member::Phase::meeting));
}

void Team::adjourn() noexcept {
  // Relaxed: a member that comes to the next meeting has seen meetings_ advance, and so these stores.
  willing_.store(nobody, std::memory_order_relaxed);
  leader_.store(nobody, std::memory_order_relaxed);
  present_.store(0, std::memory_order_relaxed);
  // No atomic addition, for the same reason as in end_phase().
  meetings_.store(meetings_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  ring_all();
}

std::string Team::missing(Member::Phase awaited) const {
  const auto where = [](Member::Phase phase) {
    switch (phase) {
    case Member::Phase::outside:
      return " (has not joined),";
    case Member::Phase::arrived:
      return " (has called LEAVE),";
    default:
      return " (joined, has not come),";
    }
  };
  std::string text = "missing:";
  int known = 0;
  for (const Member* member = newest_.load(std::memory_order_acquire); member != nullptr;
       member = member->older_) {
    ++known;
    const auto phase = member->phase_.load(std::memory_order_relaxed);
    if (phase != awaited) text += " member " + std::to_string(member->index()) + where(phase);
  }
  if (known < size_) text += " " + std::to_string(size_ - known) + " that have not created the team,";
  if (text.back() == ':') return "all have come, and one acts for them";
  text.pop_back();
  return text;
}

std::uint64_t Team::chunks_helped() const noexcept {
  std::uint64_t sum = 0;
  for (const Member* member = newest_.load(std::memory_order_acquire); member != nullptr;
       member = member->older_) {
    sum += member->chunks_helped();
  }
  return sum;
}

void Team::ring_for_work(const Job& job) noexcept {
  const auto chunks = static_cast<int>(
      std::min<std::size_t>((job.size - 1) / std::max(job.grain, std::size_t{1}) + 1, INT_MAX));
  doorbell_.ring(std::min(Oversubscription::room(), chunks));
}

void Team::throw_gone(const char* function) const {
  throw Misuse(Misuse::Kind::state,
               std::string(function) + ": team_id " + std::to_string(id_) +
                   " can never be complete again: " + std::to_string(gone_.load(std::memory_order_relaxed)) +
                   " of its " + std::to_string(size_) +
                   " members freed the handle or ended the thread; free the team and create it anew");
}

} // namespace helper::team
