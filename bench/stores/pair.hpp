// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/binding.hpp"
#include "common/shared_memory.hpp"

#include "pipeline/stores.hpp"
#include "shm/shared_cache.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

namespace bench {

/// How memory is written that another process has read and will read again.
enum class Way {
  plain,    ///< by plain stores (memcpy), always in the same place
  prefetch, ///< the same, and once they have been read the lines are prefetched for writing
  rooms,    ///< by plain stores to the next piece of a circular buffer, as the library's rooms
  streaming ///< by the library's streaming stores, always in the same place
};
constexpr std::array ways{"plain", "prefetch", "rooms", "streaming"};

/// Two processes of a node that share memory: rank 0 writes messages, rank 1 copies each to memory of its
/// own.
class Pair {
public:
  /// For messages of at most `most` bytes and a circular buffer of `ring` bytes. Binds each rank to a core of
  /// its own. Collective. Throws std::runtime_error unless there are two ranks, on one node.
  Pair(int rank, std::size_t most, std::size_t ring)
      : rank_(rank), ring_(ring), own_(most / sizeof(Word)), memory_(sizeof(Shared) + std::max(most, ring)),
        shared_(static_cast<Shared*>(memory_.data())) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) throw std::runtime_error("takes two ranks");
    bind_to_core(static_cast<unsigned>(rank));
    if (rank == 0) new (shared_) Shared{};
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// Collective: read() returns.
  ~Pair() {
    if (rank_ == 0) ask({Act::stop});
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// Rank 1: does what the other asks for, until that destroys its object.
  void read() {
    for (Word number = 1;; ++number) {
      while (shared_->asked.load(std::memory_order_acquire) != number) { // pairs with ask(): sees the message
      }
      const Request request = shared_->request; // changes once it is answered
      const std::span words(own_.data(), request.bytes / sizeof(Word));
      if (request.act == Act::copy) std::memcpy(own_.data(), messages() + request.offset, request.bytes);
      if (request.act == Act::check)
        shared_->right = std::ranges::all_of(words, [&](Word word) { return word == request.value; });
      if (request.act == Act::look) shared_->probe.read();
      shared_->answered.store(number, std::memory_order_release); // pairs with ask(): all has been read
      if (request.act == Act::stop) return;
    }
  }

  /// Rank 0: the seconds that it takes to write a message of `bytes` bytes, a multiple of 8, and learn that
  /// it has been copied. The mean of some round trips, after untimed ones with which the circular buffer
  /// comes round. Throws std::runtime_error if the reader got other data.
  double round_trip(Way way, std::size_t bytes) {
    constexpr std::size_t least_pieces = 3, most_timed = 64;
    std::size_t trips = ring_ / std::max(bytes, line);
    if (trips < least_pieces) { // the library then stays in one place
      trips = 1;
      if (way == Way::rooms) way = Way::plain;
    }
    const Word value = own_.front() + 1;
    std::fill_n(own_.begin(), bytes / sizeof(Word), value);
    for (std::size_t i = 0; i < trips; ++i) send(way, bytes);
    const std::size_t timed = std::min(trips, most_timed);
    const double start = MPI_Wtime();
    for (std::size_t i = 0; i < timed; ++i) send(way, bytes);
    const double seconds = (MPI_Wtime() - start) / static_cast<double>(timed);
    ask({Act::check, 0, bytes, value});
    if (!shared_->right) throw std::runtime_error("the reader got other data than were sent");
    return seconds;
  }

  /// Rank 0: whether the processors are near, as the library finds out, by the majority of some attempts.
  bool is_near() {
    constexpr int attempts = 3; // of which some may be interrupted
    int near = 0;
    for (int i = 0; i < attempts; ++i) {
      ask({Act::look});
      if (shared_->probe.are_near().value_or(false)) ++near;
    }
    return 2 * near > attempts;
  }

private:
  using Word = std::uint64_t;
  static constexpr std::size_t line = 64, page = 4096;

  enum class Act { copy, check, look, stop };
  struct Request {
    Act act;
    std::size_t offset = 0, bytes = 0; ///< of the message
    Word value = 0;                    ///< of all its words
  };

  /// The messages lie behind it. Lines of the one and of the other are not in one pair of lines, which some
  /// processors fetch together.
  struct alignas(page) Shared {
    alignas(2 * line) Request request; ///< rank 1 reads it between the changes of the two numbers
    std::atomic<Word> asked;           ///< number of the last request
    alignas(2 * line) std::atomic<Word> answered;
    bool right; ///< the data of the last check
    alignas(2 * line) helper::shm::ProbedLines probe;
  };
  static_assert(std::atomic<Word>::is_always_lock_free);

  std::byte* messages() const { return reinterpret_cast<std::byte*>(shared_ + 1); }

  void ask(const Request& request) {
    shared_->request = request;
    const Word number = shared_->asked.load(std::memory_order_relaxed) + 1; // nobody else stores it
    shared_->asked.store(number, std::memory_order_release);                // pairs with read()
    while (shared_->answered.load(std::memory_order_acquire) != number) {   // pairs with read()
    }
  }

  void send(Way way, std::size_t bytes) {
    using helper::pipeline::Stores;
    std::byte* target = messages();
    if (way == Way::rooms) {
      if (next_ + bytes > ring_) next_ = 0;
      target += next_;
      next_ += std::max(bytes, line);
    }
    helper::pipeline::copy(target, reinterpret_cast<std::byte*>(own_.data()), bytes,
                           way == Way::streaming ? Stores::streaming : Stores::plain);
    ask({Act::copy, static_cast<std::size_t>(target - messages()), bytes});
    if (way == Way::prefetch)
      for (std::size_t at = 0; at < bytes; at += line) prefetch_for_writing(target + at);
  }

  static void prefetch_for_writing(const std::byte* where) {
#ifdef __x86_64__ // compilers prefetch for reading instead, or not at all
    asm volatile("prefetchw %0" : : "m"(*where));
#else
    __builtin_prefetch(where, 1);
#endif
  }

  const int rank_;
  const std::size_t ring_; ///< bytes of the circular buffer
  std::size_t next_ = 0;   ///< of them, those taken since it came round
  std::vector<Word> own_;  ///< what rank 0 sends and what rank 1 got
  const SharedMemory memory_;
  Shared* const shared_;
};

} // namespace bench
