// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/nonblocking.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <utility>

#include "collective/contribution.hpp"
#include "layout/copy_bytes.hpp"
#include "lifetime/never_destroyed.hpp"
#include "message/operation.hpp"
#include "message/receive_buffer.hpp"
#include "reduction/kernel.hpp"
#include "transport/mpi_error.hpp"
#include "transport/posts.hpp"
#include "transport/traffic.hpp"

namespace helper::collective {

namespace {

using transport::Posts;

/// A thread takes about so many bytes of each contribution at a time: a piece.
constexpr std::size_t piece_bytes = std::size_t{128} * 1024;

/// What is to be reduced or unpacked comes from another process in blocks of at most so many bytes, which
/// stay in the first-level cache or nearly so.
constexpr std::size_t block_bytes = std::size_t{32} * 1024;
using Block = std::array<std::byte, block_bytes>;

/// This is where results of one Part go. What MPI alone can store there is kept until the request is
/// completed.
class Result {
public:
  explicit Result(const Part& part) : packed_(nullptr, 0) {
    if (part.bytes == 0) return;
    in_.emplace(part.address(), part.count, part.type);
    if (in_->is_by_mpi()) kept_ = std::make_unique_for_overwrite<std::byte[]>(part.bytes);
    packed_ = kept_ != nullptr ? layout::PackedData(kept_.get(), part.bytes) : *in_;
  }

  /// Returns the results in packed order. Any thread may store there.
  const layout::PackedData& packed() const noexcept { return packed_; }

  /// Has MPI store what it must, and forgets the datatype. Returns MPI's code.
  int finish() noexcept {
    const int code = kept_ != nullptr ? in_->store({kept_.get(), packed_.size()}) : MPI_SUCCESS;
    in_.reset();
    return code;
  }

private:
  std::optional<message::ReceiveBuffer> in_;
  std::unique_ptr<std::byte[]> kept_;
  layout::PackedData packed_;
};

/// This is what a rank contributes, to all or to this one.
struct Found : Posts::Contribution {
  std::size_t first = 0; ///< where it begins in all that the rank has posted
};

/// This is an operation that the rank has begun, behind its request. After the request is completed it lives
/// until the ranks that read a copy of its contribution have taken that.
class CollectiveOperation final : public message::NonblockingOperation {
public:
  /// Gets the contribution ready to be posted. Throws MpiError and std::bad_alloc.
  CollectiveOperation(team::Member& member, std::shared_ptr<Posts> posts, MPI_Comm comm,
                      Participation&& participation);

  /// Makes the request that the user will hold, unless that is a persistent one, posts the contribution, and
  /// puts the operation, `self`, among those that are begun. It is called once; nothing can fail after it.
  /// Throws MpiError and std::bad_alloc.
  void begin(const std::shared_ptr<CollectiveOperation>& self, MPI_Request& request);

  /// Does a piece of the operation. Returns false if there is none to be done now. Any thread may call it.
  bool work(team::Member& member) noexcept;

  /// Tells whether the rank has taken all that it needs, and whether it has and nobody reads its contribution
  /// any more.
  bool has_taken() const noexcept { return has_taken_.load(std::memory_order_acquire); }
  bool is_over() const noexcept { return has_taken() && is_read(); }

  message::Code result(MPI_Status& status) override;
  message::Code finish(MPI_Request& request, MPI_Status& status) override;
  bool under_way() noexcept override { return false; } // nobody waits for more than was posted

private:
  bool look(team::Member& member) override;
  bool step(team::Member& member) noexcept override;

  bool is_read() const noexcept;
  bool is_ready() noexcept;
  std::size_t pieces(const Taking& taking) const noexcept;
  void take(std::size_t piece) noexcept;
  void copy(const Taking& taking, std::size_t begin, std::size_t end) noexcept;
  void reduce(const Taking& taking, std::size_t begin, std::size_t end) noexcept;
  bool reduce_to(std::byte* out, const Taking& taking, std::size_t begin, std::size_t end) noexcept;
  bool reduce_one(int rank, Found& from, std::size_t first, std::size_t bytes, const std::byte* lower,
                  std::byte* out) noexcept;
  std::optional<Found> find(int rank, const Taking& taking) noexcept;
  bool find_addressed(int rank, Found& found) noexcept;
  bool read(int rank, Found& from, std::size_t begin, std::byte* to, std::size_t bytes) noexcept;
  void fail(int code) noexcept;

  const Participation what_;
  const std::shared_ptr<Posts> posts_;
  const int rank_;
  const int starter_;       // the member
  const std::size_t piece_; // bytes: a multiple of an element
  std::size_t count_ = 0;   // pieces, at least one
  std::vector<Result> results_;
  message::GeneralisedRequest stand_in_;
  Contribution contribution_;
  std::uint64_t number_ = 0;
  std::chrono::steady_clock::time_point moves_at_{};
  // This says whether all that the rank reads has been posted. It is set by any thread that finds it so, with
  // release: what it has seen of others is seen by those that load it with acquire.
  std::atomic<bool> is_ready_{false};
  // These are the pieces that threads have claimed, and that are done. To claim one orders nothing. Who adds
  // the last to those done has acquired what all others have stored, with release.
  std::atomic<std::size_t> claimed_{0};
  std::atomic<std::size_t> done_{0};
  // It is set with release when all pieces are done: who loads it with acquire sees the results.
  std::atomic<bool> has_taken_{false};
  // This is the first error. It is final once has_taken_ is set, which orders it.
  std::atomic<int> code_{MPI_SUCCESS};
};

/// These are the operations of the process that are not over.
struct Begun {
  std::mutex mutex; // guards the list
  std::vector<std::shared_ptr<CollectiveOperation>> all;
};
constexpr auto& begun = lifetime::sole<Begun>;

// This counts those that have not taken all yet. It is increased before idle members are rung, so that a
// thread that asks too early asks again; relaxed.
constinit std::atomic<int> untaken{0};

/// Does a piece of one of the operations. Returns false if there is none to be done now.
bool advance_any(team::Member& member) noexcept {
  if (untaken.load(std::memory_order_relaxed) == 0) return false;
  for (std::size_t next = 0;; ++next) {
    std::shared_ptr<CollectiveOperation> operation;
    {
      const std::lock_guard lock(begun().mutex);
      if (next >= begun().all.size()) return false;
      operation = begun().all[next];
    }
    if (operation->work(member)) return true;
  }
}

/// Forgets those that are over; the caller holds the mutex.
void erase_over() noexcept {
  std::erase_if(begun().all, [](const auto& operation) { return operation->is_over(); });
}

/// Rounds down to a multiple of an element, of which there is at least one.
std::size_t whole_elements(std::size_t bytes, const std::optional<reduction::Reducer>& reducer) noexcept {
  const std::size_t element = reducer ? reducer->element() : 1;
  return std::max(bytes / element, std::size_t{1}) * element;
}

CollectiveOperation::CollectiveOperation(team::Member& member, std::shared_ptr<Posts> posts, MPI_Comm comm,
                                         Participation&& participation)
    : what_(std::move(participation)), posts_(std::move(posts)), rank_(posts_->rank()),
      starter_(member.index()), piece_(whole_elements(piece_bytes, what_.reducer)),
      contribution_(member, what_, posts_->ranks(), comm) {
  for (const Part& part : what_.results) results_.emplace_back(part);
  for (const Taking& taking : what_.takings) count_ += pieces(taking);
  count_ = std::max(count_, std::size_t{1});
}

void CollectiveOperation::begin(const std::shared_ptr<CollectiveOperation>& self, MPI_Request& request) {
  const bool is_persistent = request != MPI_REQUEST_NULL;
  if (!is_persistent) transport::check(stand_in_.start());
  transport::traffic::meet();
  try {
    const std::lock_guard lock(begun().mutex);
    erase_over();
    begun().all.reserve(begun().all.size() + 1);
    number_ = posts_->post(contribution_.data(), contribution_.bytes());
    begun().all.push_back(self);
    untaken.fetch_add(1, std::memory_order_relaxed);
  } catch (...) {
    if (!is_persistent) stand_in_.withdraw();
    throw;
  }
  if (!is_persistent) request = stand_in_.request();
}

std::size_t CollectiveOperation::pieces(const Taking& taking) const noexcept {
  return (taking.bytes + piece_ - 1) / piece_;
}

/// Tells whether the ranks that read the contribution have taken it, or never will.
bool CollectiveOperation::is_read() const noexcept {
  return std::ranges::all_of(what_.readers, [this](int rank) {
    return posts_->has_taken(rank, number_) || posts_->has_left(rank, number_);
  });
}

/// Tells whether pieces can be taken: it is the operation's turn, and all that it needs has been posted, or
/// never will be.
bool CollectiveOperation::is_ready() noexcept {
  if (is_ready_.load(std::memory_order_acquire)) return true;
  if (!posts_->has_taken(rank_, number_ - 1)) return false;
  for (const Taking& taking : what_.takings) {
    for (int rank = taking.from.first; rank < taking.from.last; ++rank) {
      if (posts_->has_posted(rank, number_)) continue;
      if (!posts_->has_left(rank, number_)) return false;
      fail(MPI_ERR_OTHER);
    }
  }
  is_ready_.store(true, std::memory_order_release);
  return true;
}

bool CollectiveOperation::work(team::Member& member) noexcept {
  std::size_t piece = claimed_.load(std::memory_order_relaxed);
  if (piece == count_ || !is_ready()) return false;
  while (!claimed_.compare_exchange_weak(piece, piece + 1, std::memory_order_relaxed)) {
    if (piece == count_) return false;
  }
  {
    const auto stage = what_.reducer ? trace::Stage::reduce : trace::Stage::copy;
    const trace::Chunk recorded(member.track(), stage, what_.name, starter_, piece_);
    in_state([&] { return take(piece), true; });
  }
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 < count_) return true;
  has_taken_.store(true, std::memory_order_release);
  untaken.fetch_sub(1, std::memory_order_relaxed);
  posts_->take(number_);
  team::Bell::own().ring(); // it is the next one's turn, and a thread may wait for this one
  return true;
}

void CollectiveOperation::take(std::size_t piece) noexcept {
  for (const Taking& taking : what_.takings) {
    if (piece >= pieces(taking)) {
      piece -= pieces(taking);
      continue;
    }
    if (code_.load(std::memory_order_relaxed) != MPI_SUCCESS) return;
    const std::size_t begin = piece * piece_;
    const std::size_t end = std::min(begin + piece_, taking.bytes);
    return taking.from.count() == 1 ? copy(taking, begin, end) : reduce(taking, begin, end);
  }
}

/// Finds what the rank contributes; nothing, and the operation has failed, if that is something else than
/// what should be there.
std::optional<Found> CollectiveOperation::find(int rank, const Taking& taking) noexcept {
  Found found{{contribution_.data(), contribution_.bytes(), 0}};
  if (rank != rank_ && !posts_->find(rank, number_, found)) {
    fail(MPI_ERR_OTHER);
    return std::nullopt;
  }
  if (what_.addressed && !find_addressed(rank, found)) return std::nullopt;
  if (found.bytes != taking.contribution) {
    fail(MPI_ERR_TRUNCATE);
    return std::nullopt;
  }
  return found;
}

/// Finds which bytes of all that the rank has posted are for this one.
bool CollectiveOperation::find_addressed(int rank, Found& found) noexcept {
  std::array<std::uint64_t, 2> range{};
  const std::size_t at = static_cast<std::size_t>(rank_) * sizeof range[0];
  if (!read(rank, found, at, reinterpret_cast<std::byte*>(range.data()), sizeof range)) return false;
  found.first = range[0];
  found.bytes = range[1] - range[0];
  return true;
}

bool CollectiveOperation::read(int rank, Found& from, std::size_t begin, std::byte* to,
                               std::size_t bytes) noexcept {
  begin += from.first;
  if (rank == rank_) return layout::copy_bytes(to, from.data + begin, bytes), true;
  if (posts_->read(rank, number_, from, begin, to, bytes)) return true;
  fail(MPI_ERR_OTHER);
  return false;
}

/// Takes bytes [begin, end) of what one rank has for the result.
void CollectiveOperation::copy(const Taking& taking, std::size_t begin, std::size_t end) noexcept {
  const int rank = taking.from.first;
  auto from = find(rank, taking);
  if (!from) return;
  const layout::PackedData& to = results_[taking.result].packed();
  if (to.is_dense()) {
    read(rank, *from, taking.begin + begin, to.dense() + begin, end - begin);
    return;
  }
  alignas(64) Block block;
  for (std::size_t at = begin; at < end; at += block.size()) {
    const std::size_t bytes = std::min(block.size(), end - at);
    if (!read(rank, *from, taking.begin + at, block.data(), bytes)) return;
    to.unpack(at, at + bytes, block.data());
  }
}

/// Reduces bytes [begin, end) of what several ranks have into the result.
void CollectiveOperation::reduce(const Taking& taking, std::size_t begin, std::size_t end) noexcept {
  const layout::PackedData& to = results_[taking.result].packed();
  if (to.is_dense()) {
    reduce_to(to.dense() + begin, taking, begin, end);
    return;
  }
  alignas(64) Block block;
  const std::size_t step = whole_elements(block.size(), what_.reducer);
  for (std::size_t at = begin; at < end; at += step) {
    const std::size_t stop = std::min(at + step, end);
    if (!reduce_to(block.data(), taking, at, stop)) return;
    to.unpack(at, stop, block.data());
  }
}

/// Does so, with `out` for these bytes of the result. Returns false if the operation has failed.
bool CollectiveOperation::reduce_to(std::byte* out, const Taking& taking, std::size_t begin,
                                    std::size_t end) noexcept {
  const std::size_t first = taking.begin + begin; // of the contributions
  const std::byte* lower = out;
  for (int rank = taking.from.first; rank < taking.from.last; ++rank) {
    auto from = find(rank, taking);
    if (!from) return false;
    if (rank != taking.from.first) {
      if (!reduce_one(rank, *from, first, end - begin, lower, out)) return false;
      lower = out;
    } else if (rank == rank_) {
      lower = from->data + first;
    } else if (!read(rank, *from, first, out, end - begin)) {
      return false;
    }
  }
  return true;
}

/// Reduces what lower ranks have come to, `lower`, and bytes from `first` on of a rank's contribution.
// NOLINTNEXTLINE(bugprone-exception-escape): reduce() does not throw where helpers may reduce
bool CollectiveOperation::reduce_one(int rank, Found& from, std::size_t first, std::size_t bytes,
                                     const std::byte* lower, std::byte* out) noexcept {
  const reduction::Reducer& reducer = *what_.reducer;
  const std::size_t element = reducer.element();
  if (rank == rank_) {
    reducer.reduce(std::array{lower, from.data + first}, 0, bytes / element, out);
    return true;
  }
  alignas(64) Block block;
  const std::size_t step = whole_elements(block.size(), what_.reducer);
  for (std::size_t at = 0; at < bytes; at += step) {
    const std::size_t size = std::min(step, bytes - at);
    if (!read(rank, from, first + at, block.data(), size)) return false;
    const std::array operands{lower + at, static_cast<const std::byte*>(block.data())};
    reducer.reduce(operands, 0, size / element, out + at);
  }
  return true;
}

void CollectiveOperation::fail(int code) noexcept {
  int none = MPI_SUCCESS;
  code_.compare_exchange_strong(none, code, std::memory_order_relaxed);
}

/// Moves the contribution to a copy, if the ranks that read it have taken nothing for long: they may be in
/// something that does not let them go on before this rank does.
bool CollectiveOperation::look(team::Member& member) {
  using Clock = std::chrono::steady_clock;
  constexpr auto long_time = std::chrono::milliseconds(30);
  const std::unique_lock lock(busy_, std::try_to_lock);
  if (!lock.owns_lock() || !has_taken() || contribution_.is_own() || is_read()) return false;
  const auto now = Clock::now();
  if (moves_at_ == Clock::time_point{}) moves_at_ = now + long_time;
  if (now < moves_at_) return false;
  std::unique_ptr<std::byte[]> copy = contribution_.copy(member);
  if (copy == nullptr) return false; // it goes on waiting
  posts_->move(number_, copy.get());
  contribution_.keep(std::move(copy));
  return false;
}

bool CollectiveOperation::step(team::Member& member) noexcept {
  const bool has_worked = work(member);
  if (!has_taken() || (!contribution_.is_own() && !is_read())) return has_worked;
  set_complete();
  return true;
}

message::Code CollectiveOperation::result(MPI_Status& status) {
  message::make_empty(status);
  return {code_.load(std::memory_order_relaxed), true};
}

message::Code CollectiveOperation::finish(MPI_Request& request, MPI_Status& status) {
  if (stand_in_.request() != MPI_REQUEST_NULL) {
    stand_in_.complete();
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (Result& result : results_) {
    if (const int code = result.finish(); code != MPI_SUCCESS) fail(code);
  }
  transport::traffic::went_past_mpi();
  forget_over();
  return result(status);
}

/// Throws PeerGaveUp if a rank has failed that the next operation would wait for, or that would never read.
void check_peers(const Posts& posts, MPI_Comm comm) {
  const std::uint64_t next = posts.newest() + 1;
  for (int rank = 0; rank < posts.ranks(); ++rank) {
    if (posts.has_left(rank, next)) throw transport::PeerGaveUp(comm, rank);
  }
}

} // namespace

void Participation::take(int from, std::size_t bytes, std::size_t begin, const Part& to) {
  takings.push_back({{from, from + 1}, bytes, begin, to.bytes, results.size()});
  results.push_back(to);
}

std::vector<int> RankRange::each() const {
  std::vector<int> all(static_cast<std::size_t>(count()));
  std::iota(all.begin(), all.end(), first);
  return all;
}

bool carries(const team::Member& member, const Shadow& shadow, Operation operation, std::size_t bytes) {
  if (bytes == 0) return member.decline(reason::arguments), false;
  if (select(operation, situation(shadow, bytes)) != Algorithm::native) return true;
  return member.decline(reason::selection), false;
}

const Shadow* find_shadow(team::Member& member, MPI_Comm comm, const Making& making) {
  if (comm == MPI_COMM_NULL || making.request == nullptr) return member.decline(reason::arguments), nullptr;
  const Shadow* const shadow = making.persistent != nullptr ? Shadow::of(comm, member) : Shadow::find(comm);
  if (shadow == nullptr) member.decline(reason::shadow);
  return shadow;
}

std::optional<int> make(team::Member& member, const Shadow& shadow, Participation&& participation,
                        const Making& making) {
  if (making.persistent != nullptr) return make_persistent(member, shadow, std::move(participation), making);
  const std::shared_ptr<transport::Window> window = shadow.shared_window();
  MPI_Request request = MPI_REQUEST_NULL;
  begin(member, {window, &window->posts()}, shadow.user(), std::move(participation), request);
  *making.request = request;
  return MPI_SUCCESS;
}

void begin(team::Member& member, std::shared_ptr<Posts> posts, MPI_Comm comm, Participation&& participation,
           MPI_Request& request) {
  check_peers(*posts, comm);
  const auto made =
      std::make_shared<CollectiveOperation>(member, std::move(posts), comm, std::move(participation));
  auto entry = message::requests::entry_of(made);
  made->begin(made, request);
  message::requests::track(request, std::move(entry));
  member.team().ring_for_progress();
  record(member, Algorithm::cma);
}

void forget_over() noexcept {
  const std::lock_guard lock(begun().mutex);
  erase_over();
}

void start_nonblocking() {
  static_cast<void>(reduction::find(MPI_SUM, MPI_INT)); // makes the table that decides for calls
  team::AsyncProgress::set([]() noexcept { return untaken.load(std::memory_order_relaxed) != 0; },
                           advance_any);
  team::add_background(advance_any);
}

void stop_nonblocking() noexcept {
  const std::lock_guard lock(begun().mutex);
  begun().all.clear();
  message::persistent::forget_all();
}

} // namespace helper::collective
