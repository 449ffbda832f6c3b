// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

#include "lifetime/of_thread.hpp"

namespace helper::lifetime {

namespace detail {

/// Blocks of memory that a thread uses repeatedly. They stay in the first-level cache like its stack.
class ThreadBlocks {
public:
  static constexpr std::size_t block_bytes = std::size_t{32} * 1024;
  // Blocks begin in the middle of a page, because large arrays begin near the start of a page. If a load and
  // an earlier store are whole pages apart, the core makes the load wait for the store.
  static constexpr std::size_t offset = 2048;
  static constexpr std::align_val_t alignment{4096};

  ThreadBlocks() = default;
  ~ThreadBlocks() {
    while (free_ != 0) operator delete(blocks_[--free_] - offset, alignment);
  }
  ThreadBlocks(const ThreadBlocks&) = delete;
  ThreadBlocks& operator=(const ThreadBlocks&) = delete;

  /// Returns a block. If there is no memory, it is one of the few reserve blocks of the process.
  static std::byte* take() noexcept {
    if (ThreadBlocks* const own = of_thread<ThreadBlocks>(); own != nullptr && own->free_ != 0)
      return own->blocks_[--own->free_];
    if (void* const made = operator new(offset + block_bytes, alignment, std::nothrow))
      return static_cast<std::byte*>(made) + offset;
    return take_last_resort();
  }

  static void give(std::byte* block) noexcept {
    if (give_last_resort(block)) return;
    ThreadBlocks* const own = of_thread<ThreadBlocks>();
    if (own != nullptr && own->free_ < own->blocks_.size())
      own->blocks_[own->free_++] = block;
    else
      operator delete(block - offset, alignment);
  }

private:
  // is_taken: a thread has the block. The acquire pairs with the release of the thread that had it before.
  struct alignas(64) LastResort {
    std::byte bytes[block_bytes];
    std::atomic<bool> is_taken;
  };
  // The number of reserve blocks. take_last_resort() waits only while threads hold all of them.
  static constexpr std::size_t resorts = 64;
  static inline constinit std::array<LastResort, resorts> last_resorts{};

  static std::byte* take_last_resort() noexcept {
    for (std::size_t next = 0;; next = (next + 1) % resorts) {
      if (!last_resorts[next].is_taken.exchange(true, std::memory_order_acquire))
        return last_resorts[next].bytes;
      if (next + 1 == resorts) sched_yield();
    }
  }
  static bool give_last_resort(std::byte* block) noexcept {
    const std::byte* const begin = last_resorts.front().bytes;
    if (block < begin || block >= begin + sizeof last_resorts) return false;
    const auto place = static_cast<std::size_t>(block - begin) / sizeof(LastResort);
    last_resorts[place].is_taken.store(false, std::memory_order_release);
    return true;
  }

  std::array<std::byte*, 6> blocks_{};
  std::size_t free_ = 0;
};

} // namespace detail

/// `bytes` uninitialised bytes that the calling thread has while this object lives. They are not on its
/// stack, which may be hardly larger than MPI needs. A longjmp that leaves the scope leaks the block.
template <std::size_t bytes>
class ThreadBlock {
  static_assert(bytes <= detail::ThreadBlocks::block_bytes);

public:
  ThreadBlock() noexcept : data_(detail::ThreadBlocks::take()) {}
  ~ThreadBlock() { detail::ThreadBlocks::give(data_); }
  ThreadBlock(const ThreadBlock&) = delete;
  ThreadBlock& operator=(const ThreadBlock&) = delete;

  std::byte* data() noexcept { return data_; }
  static constexpr std::size_t size() noexcept { return bytes; }

private:
  std::byte* const data_;
};

} // namespace helper::lifetime
