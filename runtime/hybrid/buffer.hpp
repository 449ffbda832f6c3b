// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "hybrid/call.hpp"
#include "layout/layout.hpp"
#include "transport/own_copy.hpp"

namespace helper::hybrid {

/// Bytes that are worked on at a time: few enough to stay in the first-level cache.
inline constexpr std::size_t piece = std::size_t{8} * 1024;

/// Fewest bytes of a job's chunk: some microseconds of work for a helper.
inline constexpr std::size_t grain = std::size_t{32} * 1024;

/// The data of one of a member's buffers, as bytes in packed order. Where MPI alone can copy them, since the
/// datatype has no layout or they are in the memory of a GPU, these are a copy, which load() fetches and
/// store() puts back.
class Buffer {
public:
  /// `base` is one of the call's buffers. For the leader. Throws Rejected where there is none.
  Buffer(const MemberCall& call, const void* base);

  std::size_t size() const noexcept { return size_; }

  /// Before the data are read, and after they have been written. For the leader; throw MpiError.
  void load() const;
  void store() const;

  /// Where the bytes are, if they are there in order; otherwise nullptr.
  std::byte* dense() const noexcept { return dense_; }

  /// Bytes [begin, end) of the data: where they are, or copied to `scratch`. Any thread.
  const std::byte* read(std::size_t begin, std::size_t end, std::byte* scratch) const noexcept {
    if (dense_ != nullptr) return dense_ + begin;
    layout::pack(*layout_, elements_.base, begin, end, scratch);
    return scratch;
  }

  /// Makes `packed` bytes [begin, end) of the data. Any thread, on disjoint ranges at the same time.
  void write(std::size_t begin, std::size_t end, const std::byte* packed) const noexcept {
    if (dense_ != nullptr)
      std::memcpy(dense_ + begin, packed, end - begin);
    else
      layout::unpack(*layout_, elements_.base, begin, end, packed);
  }

private:
  transport::Elements packed() const noexcept {
    return {by_mpi_.get(), static_cast<MPI_Count>(size_), MPI_PACKED};
  }
  void copy(const transport::Elements& from, const transport::Elements& to) const;

  transport::Elements elements_;
  MPI_Comm comm_;
  std::shared_ptr<const layout::Layout> layout_;
  std::size_t size_ = 0;
  std::byte* dense_ = nullptr;
  std::unique_ptr<std::byte[]> by_mpi_; // the copy
};

/// What copies the data in the receive buffer of a call to those of the other calls, by a job of the team.
/// Whatever may fail does so before anything is communicated.
class Copies {
public:
  /// For the leader. Throws Rejected and std::bad_alloc.
  Copies(const MemberCall& source, MemberCalls calls);

  /// Throws MpiError where MPI fails to copy what it alone can.
  void run(team::Member& leader) const;

private:
  std::optional<Buffer> from_; // if there are targets
  std::vector<Buffer> targets_;
};

} // namespace helper::hybrid
