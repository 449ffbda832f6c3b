// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collective/nonblocking.hpp"
#include "layout/packed_data.hpp"
#include "message/receive_buffer.hpp"
#include "message/requests.hpp"
#include "shm/posts.hpp"

namespace helper::collective {

/// An operation that the rank has started, and to which its request refers. If other ranks read a copy of the
/// contribution, the object lives until they have read the copy, even after the request is completed.
class CollectiveOperation final : public message::NonblockingOperation {
public:
  /// Prepares the contribution for posting. Throws MpiError and std::bad_alloc.
  CollectiveOperation(team::Member& member, std::shared_ptr<shm::Posts> posts, MPI_Comm comm,
                      Participation&& participation);

  /// Makes the user's request, unless it is a persistent one, posts the contribution, and adds `self` to the
  /// begun operations. Called once, as the last step that may fail. Throws MpiError and std::bad_alloc.
  void begin(const std::shared_ptr<CollectiveOperation>& self, MPI_Request& request);

  /// Posts the contribution, as a part of begin().
  void post() { number_ = posts_->post(contribution_, bytes_); }

  /// Does a piece of the operation. Returns false if there is none to do now. Any thread may call it.
  bool work(team::Member& member) noexcept;

  /// Gives a part of this rank's contribution to a rank that cannot read it. Any thread may call it.
  bool answer() noexcept { return posts_->answer(); }

  /// has_taken(): the rank has all that it needs. is_over(): also, nobody reads its contribution any more.
  bool has_taken() const noexcept { return has_taken_.load(std::memory_order_acquire); }
  bool is_over() const noexcept { return has_taken() && is_read(); }

  message::Code result(MPI_Status& status) override;
  message::Code finish(MPI_Request& request, MPI_Status& status) override;
  bool under_way() noexcept override { return false; } // other ranks need only what has been posted

private:
  using Clock = std::chrono::steady_clock;
  void prepare_contribution(team::Member& member, MPI_Comm comm);
  void prepare_result();
  bool look(team::Member& member) override;
  bool step(team::Member& member) noexcept override;

  bool is_read() const noexcept;
  /// Returns whether the user may change the buffer: the contribution is a copy, or has no bytes.
  bool owns_contribution() const noexcept { return copy_ != nullptr || bytes_ == 0; }
  bool may_complete(bool answers) noexcept;
  Clock::duration waits_for_readers() noexcept;
  bool is_ready() noexcept;
  void run(std::size_t piece, team::Member& member) noexcept;
  bool postpone(std::size_t piece) noexcept;
  std::optional<std::size_t> next_postponed(bool& did);
  bool work_postponed(team::Member& member) noexcept;
  bool take(std::size_t piece) noexcept;
  bool copy(std::size_t begin, std::size_t end) noexcept;
  bool reduce(std::size_t begin, std::size_t end) noexcept;
  bool reduce_to(std::byte* out, std::size_t begin, std::size_t end) noexcept;
  bool reduce_one(int rank, shm::Posts::PostedContribution& from, std::size_t first, std::size_t bytes,
                  const std::byte* lower, std::byte* out) noexcept;
  std::optional<shm::Posts::PostedContribution> find(int rank) noexcept;
  bool read(int rank, shm::Posts::PostedContribution& from, std::size_t begin, std::byte* to,
            std::size_t bytes) noexcept;
  void fail(int code) noexcept;

  const Participation what_;
  const std::shared_ptr<shm::Posts> posts_;
  const int rank_;
  const int starter_;       // the member
  const std::size_t piece_; // bytes: a multiple of an element
  const std::size_t count_; // pieces, at least one
  message::GeneralisedRequest stand_in_;

  // The data that the rank posts: the user's buffer if it is contiguous and not overwritten, or else a copy.
  const std::byte* contribution_ = nullptr;
  std::size_t bytes_ = 0; // of a contribution
  std::unique_ptr<std::byte[]> copy_;
  // Any thread may store in result_: the user's buffer, or unstored_ if only MPI can store in that buffer.
  std::optional<message::ReceiveBuffer> buffer_;
  std::unique_ptr<std::byte[]> unstored_;
  layout::PackedData result_{nullptr, 0};

  std::uint64_t number_ = 0;
  Clock::time_point waits_since_{}; // for the ranks that read the contribution; busy_ guards it
  // Whether pieces can be taken, as is_ready() finds. Set with release. A thread that loads true with acquire
  // sees what the thread that set it has seen of other ranks.
  std::atomic<bool> is_ready_{false};
  // The numbers of pieces that are claimed, and done. A claim orders nothing. The thread that adds the last
  // piece to done_ has acquired what the threads that added other pieces have released.
  std::atomic<std::size_t> claimed_{0};
  std::atomic<std::size_t> done_{0};
  // Set with release when all pieces are done. A thread that loads it with acquire sees the results.
  std::atomic<bool> has_taken_{false};

  // Pieces that a thread could not take, since the system refused to read another rank's memory. The ranks
  // that have the contributions relay them (shm/posts.hpp).
  std::mutex postponed_mutex_; // guards postponed_, and relayed_ until are_relayed_ is set
  std::vector<std::size_t> postponed_;
  // Whether pieces have been postponed. Set once; it orders nothing.
  std::atomic<bool> has_postponed_{false};
  std::vector<shm::Posts::Relayed> relayed_; // by rank
  // Set with release once relayed_ has all that is needed. A thread that loads it with acquire sees relayed_.
  std::atomic<bool> are_relayed_{false};

  // The first error. Once has_taken_ is set, which orders it, only finish() sets it. Relaxed.
  std::atomic<int> code_{MPI_SUCCESS};
};

/// The operations of the process that have not finished. Any thread may call the functions.
namespace begun {

/// Posts the operation's contribution, and adds the operation. Throws std::bad_alloc, having done nothing.
void add(const std::shared_ptr<CollectiveOperation>& operation);

/// Records that an operation has read all that it needs.
void note_taken() noexcept;

} // namespace begun

} // namespace helper::collective
