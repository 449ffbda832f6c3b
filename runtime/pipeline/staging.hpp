// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transport/shadow.hpp"

/// Memory for chunks on their way comes from one pool for the process, of fixed total size, whatever the
/// messages' sizes and the number of communicators.
namespace helper::pipeline {

/// Sets the size of the pool, in bytes. Is called when the library begins, before any staging is leased.
void set_staging(std::size_t bytes) noexcept;

/// How many bytes of the pool are leased. Any thread may ask.
std::size_t leased_staging() noexcept;

/// Buffers of equal size, leased from the pool; given back on destruction. Any thread may lease.
class Staging {
public:
  /// Leases up to `most` buffers of `bytes` each, at least one. Never waits, since the owner of what is
  /// leased may itself be waiting for this process: when the pool is used up, the one buffer is allocated
  /// besides.
  Staging(std::size_t bytes, std::size_t most);
  /// Does the same for an operation on `shadow`. If MPI still has messages of it, which may be in the
  /// buffers, they are not used again.
  Staging(std::size_t bytes, std::size_t most, const transport::Shadow& shadow);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::size_t count() const noexcept { return buffers_.size(); }
  std::byte* operator[](std::size_t index) const noexcept { return buffers_[index].get(); }

  /// Keeps the buffers from being used again: something may still write to them.
  void abandon() noexcept;

private:
  explicit Staging(std::size_t bytes) noexcept : bytes_(bytes) {}

  std::size_t bytes_;
  const transport::Failure* failure_ = nullptr; // of the operation
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
};

} // namespace helper::pipeline
