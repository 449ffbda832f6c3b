// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace helper::message {

/// Returns the index of a request in a table of `2 ** bits` entries. Requests that MPI makes in a row have
/// adjacent entries. A handle is an address, or a number with bit 30 or 31 set. MPI then uses 1,024 in each
/// 4,096 numbers. The first few lack bit 30: their entries are counted from the table's end.
template <unsigned bits>
std::size_t place_of(MPI_Request request) noexcept {
  const auto name = (std::uint64_t)request; // a number, or a pointer
  const auto index = static_cast<std::uint32_t>(name);
  const bool is_index = std::is_integral_v<MPI_Request> || (name == index && index >> 30 != 0);
  const std::uint32_t place = (index >> 12) << 10 | (index & 1023);
  return (is_index ? place ^ ((index >> 30 & 1) - 1) : name >> 8) & ((std::size_t{1} << bits) - 1);
}

/// A set of requests that keeps only their hashes. Threads read it without a lock, so a request outside the
/// set costs one look. A request with the hash of another request in the set also appears to be in the set.
class RequestNames {
public:
  // The caller of these holds the lock of the table that has the requests.
  void add(MPI_Request request) noexcept {
    by_hash_[hash(request)].fetch_add(1, std::memory_order_relaxed);
    all_.fetch_add(1, std::memory_order_relaxed);
  }
  void remove(MPI_Request request) noexcept {
    by_hash_[hash(request)].fetch_sub(1, std::memory_order_relaxed);
    all_.fetch_sub(1, std::memory_order_relaxed);
  }

  bool any() const noexcept { return all_.load(std::memory_order_relaxed) != 0; }

  /// Returns false only if the set does not have the request.
  bool may_have(MPI_Request request) const noexcept {
    return any() && by_hash_[hash(request)].load(std::memory_order_relaxed) != 0;
  }

private:
  static constexpr unsigned bits = 14;

  static std::size_t hash(MPI_Request request) noexcept { return place_of<bits>(request); }

  // The number of requests in the set with each hash, and in total. Relaxed: a thread that asks about a
  // request has synchronised with the thread that added it.
  std::array<std::atomic<std::uint32_t>, std::size_t{1} << bits> by_hash_{};
  std::atomic<std::uint32_t> all_{0};
};

} // namespace helper::message
