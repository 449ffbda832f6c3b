// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/nonblocking_operation.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "collective/peer_copy.hpp"
#include "layout/copy_bytes.hpp"
#include "lifetime/thread_block.hpp"
#include "pipeline/lane.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/peer_memory.hpp"
#include "shm/traffic.hpp"

namespace helper::collective {

namespace peer_memory = shm::peer_memory;
using shm::Posts;

namespace {

/// The size of a piece: the bytes of each contribution that a thread takes at a time.
constexpr std::size_t piece_bytes = std::size_t{128} * 1024;

/// The bytes that are copied at a time, so that they are still in the cache when reduced or unpacked.
constexpr std::size_t block_bytes = std::size_t{32} * 1024;
using Block = lifetime::ThreadBlock<block_bytes>;

/// Rounds `bytes` down to whole elements, but to at least one element.
std::size_t whole_elements(std::size_t bytes, const reduction::Reducer& reducer) noexcept {
  const std::size_t element = reducer.element();
  return std::max(bytes / element, std::size_t{1}) * element;
}

} // namespace

CollectiveOperation::CollectiveOperation(team::Member& member, std::shared_ptr<Posts> posts, MPI_Comm comm,
                                         Participation&& participation)
    : what_(std::move(participation)), posts_(std::move(posts)), rank_(posts_->rank()),
      starter_(member.index()), piece_(whole_elements(piece_bytes, what_.reducer)),
      count_(std::max((what_.result.bytes + piece_ - 1) / piece_, std::size_t{1})) {
  prepare_contribution(member, comm);
  prepare_result();
}

void CollectiveOperation::prepare_contribution(team::Member& member, MPI_Comm comm) {
  const Part& part = what_.contribution;
  if (part.bytes == 0) return;
  const Stream from(part.address(), part.count, part.type, comm);
  bytes_ = from.size();
  contribution_ = from.dense();
  if (from.has_layout() && from.is_dense() && !what_.is_overwritten) return;
  from.load();
  copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  pipeline::pack_all(member, from, copy_.get());
  contribution_ = copy_.get();
}

void CollectiveOperation::prepare_result() {
  const Part& part = what_.result;
  if (part.bytes == 0) return;
  buffer_.emplace(part.address(), part.count, part.type);
  if (buffer_->is_by_mpi()) unstored_ = std::make_unique_for_overwrite<std::byte[]>(part.bytes);
  result_ = unstored_ != nullptr ? layout::PackedData(unstored_.get(), part.bytes) : *buffer_;
}

void CollectiveOperation::begin(const std::shared_ptr<CollectiveOperation>& self, MPI_Request& request) {
  const auto add = [&] {
    shm::traffic::meet();
    // Finds out now if ranks cannot read the copy: they need answers even after this rank completes.
    if (copy_ != nullptr) peer_memory::try_own();
    begun::add(self);
    return MPI_SUCCESS;
  };
  if (request != MPI_REQUEST_NULL) return static_cast<void>(add()); // a persistent one
  ranks::check(stand_in_.start_for(add));
  request = stand_in_.request();
}

/// Returns whether the ranks that read the contribution have taken it, or never will.
bool CollectiveOperation::is_read() const noexcept {
  for (int rank = what_.readers.first; rank < what_.readers.last; ++rank) {
    if (!posts_->has_taken(rank, number_) && !posts_->has_left(rank, number_)) return false;
  }
  return true;
}

/// Returns whether pieces can be taken: it is this operation's turn, and each rank has posted or failed.
bool CollectiveOperation::is_ready() noexcept {
  if (is_ready_.load(std::memory_order_acquire)) return true;
  if (!posts_->has_taken(rank_, number_ - 1)) return false;
  for (int rank = what_.from.first; rank < what_.from.last; ++rank) {
    if (posts_->has_posted(rank, number_)) continue;
    if (!posts_->has_left(rank, number_)) return false;
    fail(MPI_ERR_OTHER);
  }
  is_ready_.store(true, std::memory_order_release);
  return true;
}

bool CollectiveOperation::work(team::Member& member) noexcept {
  std::size_t piece = claimed_.load(std::memory_order_relaxed);
  if (piece == count_) return work_postponed(member);
  if (!is_ready()) return false;
  while (!claimed_.compare_exchange_weak(piece, piece + 1, std::memory_order_relaxed)) {
    if (piece == count_) return false;
  }
  run(piece, member);
  return true;
}

/// Runs a piece that the thread has claimed.
void CollectiveOperation::run(std::size_t piece, team::Member& member) noexcept {
  bool is_taken = false;
  {
    const trace::Chunk recorded(member.track(), trace::Stage::reduce, what_.name, starter_, piece_);
    is_taken = in_state([&] { return take(piece); });
  }
  if (!is_taken && code_.load(std::memory_order_relaxed) == MPI_SUCCESS && postpone(piece)) return;
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 < count_) return;
  has_taken_.store(true, std::memory_order_release);
  begun::note_taken();
  posts_->take(number_);
  team::Bell::own().ring(); // it is the next operation's turn; threads may wait for this operation
}

/// Postpones a piece until contributions have been relayed, and returns true. If that is impossible,
/// makes the operation fail and returns false.
bool CollectiveOperation::postpone(std::size_t piece) noexcept {
  if (!posts_->can_relay()) return fail(MPI_ERR_OTHER), false;
  try {
    const std::lock_guard lock(postponed_mutex_);
    postponed_.push_back(piece);
    has_postponed_.store(true, std::memory_order_relaxed);
    return true;
  } catch (const std::bad_alloc&) {
    return fail(MPI_ERR_NO_MEM), false;
  }
}

/// When all contributions have been relayed, removes a postponed piece and returns it, if there is one. Sets
/// `did` if this call has done anything. Throws std::bad_alloc.
std::optional<std::size_t> CollectiveOperation::next_postponed(bool& did) {
  const std::unique_lock lock(postponed_mutex_, std::try_to_lock);
  if (!lock || postponed_.empty()) return std::nullopt;
  if (!are_relayed_.load(std::memory_order_relaxed)) {
    relayed_.resize(static_cast<std::size_t>(posts_->ranks()));
    for (int rank = what_.from.first; rank < what_.from.last; ++rank) {
      Posts::Relayed& its = relayed_[static_cast<std::size_t>(rank)];
      if (rank == rank_ || its.is_whole) continue;
      did |= posts_->relay(rank, number_, its);
      if (!its.is_whole) return std::nullopt;
    }
    are_relayed_.store(true, std::memory_order_release); // pairs with find()
  }
  did = true;
  const std::size_t piece = postponed_.back();
  postponed_.pop_back();
  return piece;
}

bool CollectiveOperation::work_postponed(team::Member& member) noexcept {
  if (!has_postponed_.load(std::memory_order_relaxed)) return false;
  bool did = false;
  try {
    if (const auto piece = next_postponed(did)) run(*piece, member);
  } catch (const std::bad_alloc&) { // the piece remains postponed
  }
  return did;
}

/// Computes a piece of the result. Returns false if the operation has failed. Also returns false if the
/// system has refused a read; then the piece can be taken again.
bool CollectiveOperation::take(std::size_t piece) noexcept {
  if (what_.result.bytes == 0) return true;
  if (code_.load(std::memory_order_relaxed) != MPI_SUCCESS) return false;
  const std::size_t begin = piece * piece_;
  const std::size_t end = std::min(begin + piece_, what_.result.bytes);
  return what_.from.count() == 1 ? copy(begin, end) : reduce(begin, end);
}

/// Finds a rank's contribution. Returns nothing if a read is refused, or if a wrong size fails the operation.
std::optional<Posts::PostedContribution> CollectiveOperation::find(int rank) noexcept {
  Posts::PostedContribution found{contribution_, bytes_, 0, true};
  if (rank != rank_ && are_relayed_.load(std::memory_order_acquire)) { // pairs with next_postponed()
    const std::vector<std::byte>& relayed = relayed_[static_cast<std::size_t>(rank)].bytes;
    found.data = relayed.data();
    found.bytes = relayed.size();
  } else if (rank != rank_) {
    found.is_here = false;
    if (!posts_->find(rank, number_, found)) return std::nullopt;
  }
  if (found.bytes != bytes_) {
    fail(MPI_ERR_TRUNCATE);
    return std::nullopt;
  }
  return found;
}

bool CollectiveOperation::read(int rank, Posts::PostedContribution& from, std::size_t begin, std::byte* to,
                               std::size_t bytes) noexcept {
  if (from.is_here) return layout::copy_bytes(to, from.data + begin, bytes), true;
  return posts_->read(rank, number_, from, begin, to, bytes);
}

/// Copies bytes [begin, end) of one rank's contribution to the result.
bool CollectiveOperation::copy(std::size_t begin, std::size_t end) noexcept {
  const int rank = what_.from.first;
  auto from = find(rank);
  if (!from) return false;
  return read_into(result_, begin, end, [&](std::size_t at, std::byte* to, std::size_t bytes) noexcept {
    return read(rank, *from, what_.begin + at, to, bytes);
  });
}

/// Reduces bytes [begin, end) of several ranks' contributions into the result.
bool CollectiveOperation::reduce(std::size_t begin, std::size_t end) noexcept {
  const layout::PackedData& to = result_;
  if (to.is_dense()) return reduce_to(to.dense() + begin, begin, end);
  Block block;
  const std::size_t step = whole_elements(block.size(), what_.reducer);
  for (std::size_t at = begin; at < end; at += step) {
    const std::size_t stop = std::min(at + step, end);
    if (!reduce_to(block.data(), at, stop)) return false;
    to.unpack(at, stop, block.data());
  }
  return true;
}

/// Reduces bytes [begin, end) of several ranks' contributions to `out`.
bool CollectiveOperation::reduce_to(std::byte* out, std::size_t begin, std::size_t end) noexcept {
  const std::size_t first = what_.begin + begin; // of the contributions
  const std::byte* lower = out;
  for (int rank = what_.from.first; rank < what_.from.last; ++rank) {
    auto from = find(rank);
    if (!from) return false;
    if (rank != what_.from.first) {
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

/// Combines `lower`, the result of lower ranks, with `bytes` bytes of a contribution, from byte `first` on.
// NOLINTNEXTLINE(bugprone-exception-escape): reduce() does not throw where helpers may reduce
bool CollectiveOperation::reduce_one(int rank, Posts::PostedContribution& from, std::size_t first,
                                     std::size_t bytes, const std::byte* lower, std::byte* out) noexcept {
  const reduction::Reducer& reducer = what_.reducer;
  const std::size_t element = reducer.element();
  if (rank == rank_) {
    reducer.reduce(std::array{lower, from.data + first}, 0, bytes / element, out);
    return true;
  }
  Block block;
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

/// Returns how long the rank has waited for the ranks that read its contribution; the caller holds busy_.
CollectiveOperation::Clock::duration CollectiveOperation::waits_for_readers() noexcept {
  const auto now = Clock::now();
  if (waits_since_ == Clock::time_point{}) waits_since_ = now;
  return now - waits_since_;
}

/// If ranks have not read the contribution for long, moves it to a copy so that this rank can complete. Those
/// ranks may be in a call that does not return before this rank continues.
bool CollectiveOperation::look(team::Member& member) {
  constexpr auto long_time = std::chrono::milliseconds(30);
  const std::unique_lock lock(busy_, std::try_to_lock);
  if (!lock.owns_lock() || !has_taken() || owns_contribution() || is_read()) return false;
  if (waits_for_readers() < long_time) return false;
  std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[bytes_]);
  if (copy == nullptr) return false; // this rank goes on waiting
  pipeline::pack_all(member, layout::PackedData(const_cast<std::byte*>(contribution_), bytes_), copy.get());
  peer_memory::try_own(); // as in begin()
  posts_->move(number_, copy.get());
  copy_ = std::move(copy);
  return false;
}

/// Returns whether this rank may complete although others may still read its contribution. If the system
/// refuses reads, the others need this rank's `answers`. Then this rank completes after a second in which it
/// has answered nothing: the others may wait for this rank in another call.
bool CollectiveOperation::may_complete(bool answers) noexcept {
  constexpr auto long_time = std::chrono::seconds(1);
  return is_read() || (owns_contribution() && (!answers || waits_for_readers() >= long_time));
}

bool CollectiveOperation::step(team::Member& member) noexcept {
  const bool answers = peer_memory::is_refused();
  const bool has_worked = answers ? begun::advance(member) : work(member);
  if (answers && has_worked) waits_since_ = {};
  if (!has_taken() || !may_complete(answers)) return has_worked;
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
  const int code = unstored_ != nullptr ? buffer_->store({unstored_.get(), result_.size()}) : MPI_SUCCESS;
  buffer_.reset(); // releases the datatype
  if (code != MPI_SUCCESS) fail(code);
  shm::traffic::went_past_mpi();
  forget_over();
  return result(status);
}

} // namespace helper::collective
