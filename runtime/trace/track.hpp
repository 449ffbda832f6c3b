// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace helper::trace {

using Clock = std::chrono::steady_clock;

/// The role of a chunk of work or a message in its operation.
enum class Stage : std::uint8_t { work, pack, send, receive, reduce, unpack, copy };

/// How an MPI call was done: by the team (carried), by MPI while the thread worked for the team (lent), or by
/// MPI alone (native).
enum class Way : std::uint8_t { carried, lent, native };

/// Something that a member did, from `begin` to `end`.
struct Span {
  enum class SpanKind : std::uint8_t { operation, chunk, messages, wait };

  Clock::time_point begin;
  Clock::time_point end;
  const char* operation; ///< the MPI function, also for its parts; nullptr outside MPI functions
  std::uint64_t size;    ///< bytes; for a chunk, in the units of its job
  int other;             ///< operation: size of the communicator, 0 if unknown; chunk: owner of the job
  SpanKind kind;
  Stage stage;                     ///< of a chunk or of messages
  Way way;                         ///< of an operation
  const char* algorithm = nullptr; ///< that carried the operation, if it has several algorithms
};

/// A number to which one thread adds while any thread may read it.
template <class Value>
class Tally {
public:
  Tally() = default;
  Tally(const Tally& other) noexcept : value_(other.value()) {}
  Tally& operator=(const Tally&) = delete;

  void operator+=(Value more) noexcept { value_.store(value() + more, std::memory_order_relaxed); }
  Value value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  // The value never decreases. Relaxed, since it orders no other memory.
  std::atomic<Value> value_{};
};

/// The sums over a member's calls of one MPI function. All texts are string literals.
struct Counters {
  struct Share {
    const char* text;
    std::uint64_t calls;
  };

  const char* operation;
  std::array<Tally<std::uint64_t>, 3> calls{}; ///< by Way
  Tally<std::uint64_t> bytes{};
  Tally<Clock::duration> time{};
  Tally<Clock::duration> waiting{};     ///< the part of `time` in which the member waited
  Tally<std::uint64_t> own_chunks{};    ///< of this member's calls, run by itself
  Tally<std::uint64_t> helped_chunks{}; ///< of other members' calls, run by this member
  // Read only when the member no longer records.
  std::array<Share, 10> algorithms{}; ///< of carried calls; after the last, the text is nullptr
  std::vector<Share> declined{};      ///< of calls that were not carried, by reason
};

/// A call that the member is in.
struct Present {
  const char* operation = nullptr;
  Clock::time_point begin{};
  Clock::duration waiting{};
  std::uint64_t bytes = 0;
  int ranks = 0;
  Way way = Way::carried;
  const char* algorithm = nullptr;
};

/// What one member of a team did, as counters and, if wanted, as a timeline of the last `spans` spans. Only
/// the member's thread writes it. While it records, other threads read only the tallies of the counters.
class Track {
public:
  Track(int team, int member, std::size_t spans);

  int team() const noexcept { return team_; }
  int member() const noexcept { return member_; }

  /// Returns the MPI function that the member is in, or nullptr.
  const char* operation() const noexcept { return call_.operation; }

  /// The member is in a call from enter() to leave(); `operation` is the function's name. enter() returns the
  /// enclosing call, if there is one; leave() restores it.
  Present enter(const char* operation) noexcept;
  void leave(const Present& outer = {}) noexcept;

  /// For the present call, went() records how it is done (default: carried), decline() why the team does not
  /// carry it, carried_by() the algorithm, moved() its bytes and its communicator's size, 0 if none.
  void went(Way way) noexcept { call_.way = way; }
  void decline(const char* reason);
  void carried_by(const char* algorithm) noexcept { call_.algorithm = algorithm; }
  void moved(std::uint64_t bytes, int ranks) noexcept;

  /// Records that the member waits from now on, until it records something else.
  void wait() noexcept;

  /// Records a chunk of a job of `owner` that has run since `begin`, which work_begins() returned.
  Clock::time_point work_begins() noexcept;
  void worked(Clock::time_point begin, Stage stage, const char* operation, int owner,
              std::uint64_t size) noexcept;

  /// Records messages of `bytes` bytes in total. Since `begin` at least one of them was always in flight.
  void transferred(Clock::time_point begin, Stage stage, std::uint64_t bytes) noexcept;

  /// Returns the counters by function, in the order of their first calls. Any thread may call it, but not
  /// during clear().
  std::span<const Counters> counters() const noexcept {
    return {counters_.data(), ready_.load(std::memory_order_acquire)};
  }

  /// Forgets what was recorded. Call it when no thread records.
  void clear() noexcept {
    ready_.store(0, std::memory_order_relaxed); // the tracks' lock keeps out other readers
    counters_.clear();
    recorded_ = 0;
  }

  /// Takes over the track of a member that is gone, for the next member with the same team and index. Returns
  /// whether the track was free.
  bool take() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() noexcept { taken_.store(false, std::memory_order_release); }

  /// Returns the number of spans recorded, including those that later spans have displaced.
  std::size_t recorded() const noexcept { return recorded_; }
  std::size_t kept() const noexcept { return recorded_ < capacity_ ? recorded_ : capacity_; }
  /// Returns one of the kept spans, in the order of their ends.
  const Span& span(std::size_t index) const noexcept {
    return spans_[(recorded_ - kept() + index) % capacity_];
  }

private:
  Counters& counters_of(const char* operation) noexcept;
  void record(const Span& span) noexcept;
  void stop_waiting(Clock::time_point now) noexcept;

  const int team_;
  const int member_;
  std::atomic<bool> taken_{true}; // a thread records; acquire and release: the next thread sees its writes
  Present call_;
  bool waits_ = false;
  Clock::time_point waits_since_{};
  std::vector<Counters> counters_; // never moves
  // How many of counters_ other threads may read. Release and acquire: counters() sees complete elements.
  std::atomic<std::size_t> ready_{0};
  const std::size_t capacity_;
  std::size_t recorded_ = 0;
  std::unique_ptr<Span[]> spans_; // a ring; the system provides memory only for what is written
};

// The following records on a member's track. A nullptr records nothing and costs one test.

/// While it lives, the track's member is in the call `operation`.
class Call {
public:
  Call(Track* track, const char* operation) noexcept : track_(track) {
    if (track_ != nullptr) [[unlikely]]
      outer_ = track_->enter(operation);
  }
  ~Call() {
    if (track_ != nullptr) [[unlikely]]
      track_->leave(outer_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

private:
  Track* const track_;
  Present outer_;
};

/// While it lives, the track's member runs a chunk of a job that `owner` published in `operation`.
class Chunk {
public:
  Chunk(Track* track, Stage stage, const char* operation, int owner, std::uint64_t size) noexcept
      : track_(track), operation_(operation), size_(size), owner_(owner), stage_(stage) {
    if (track_ != nullptr) [[unlikely]]
      begin_ = track_->work_begins();
  }
  ~Chunk() {
    if (track_ != nullptr) [[unlikely]]
      track_->worked(begin_, stage_, operation_, owner_, size_);
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

private:
  Track* const track_;
  const char* const operation_;
  const std::uint64_t size_;
  const int owner_;
  const Stage stage_;
  Clock::time_point begin_{};
};

/// Messages in one direction that are in flight together.
class Transit {
public:
  explicit Transit(Stage stage) noexcept : stage_(stage) {}

  /// Records that one more message of `bytes` bytes is in flight.
  void add(Track* track, std::size_t bytes) noexcept {
    if (track == nullptr) [[likely]]
      return;
    if (messages_++ == 0) begin_ = track->work_begins();
    bytes_ += bytes;
  }

  /// Records that all messages in flight, if any, have arrived.
  void arrived(Track* track) noexcept {
    if (track == nullptr || messages_ == 0) [[likely]]
      return;
    track->transferred(begin_, stage_, bytes_);
    messages_ = 0;
    bytes_ = 0;
  }

private:
  std::size_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  Clock::time_point begin_{};
  Stage stage_;
};

/// Records that the member polls or sleeps without success.
inline void wait(Track* track) noexcept {
  if (track != nullptr) [[unlikely]]
    track->wait();
}

// The tracks of this process's members are kept until the process ends. If nothing is recorded there are no
// tracks, and members have null pointers, which cost a test.

/// Records members that are made from now on, each with a timeline of its last `spans` spans; with 0, only
/// counters. Every call must pass the same number. The first call must precede any member.
void start(std::size_t spans);

/// Starts to record counters, unless members are recorded already. New members are recorded immediately, old
/// members from their next JOIN or FENCE on. Any thread may call it.
void count();

/// Returns whether members are recorded. Any thread may call it; the answer may be late.
bool is_on() noexcept;

/// Forgets what has been recorded, except what visit_counters() passes. Call it when no member records.
void clear();

/// Returns the track for a member of the team `team`, or nullptr if nothing is recorded. It continues a
/// closed track of the same team and index. So each such pair has one track, or several if members with the
/// same pair existed at the same time. Any thread may call it.
Track* open(int team, int member);

/// Takes back a track of open(), when the member records no more; nullptr is ignored. Any thread may call it.
void close(Track* track) noexcept;

/// Passes the counters of all tracks to `sink`, including what clear() forgot. Members may record meanwhile.
/// Any thread may call it. `sink` must not open tracks.
void visit_counters(const std::function<void(const Counters&)>& sink);

/// Returns all tracks, in the order of their making. Call it when no member records any more.
const std::deque<Track>& tracks();

} // namespace helper::trace
