// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <utility>

namespace helper::transport {

/// A range of this process's tags on world::operations(), for what others send to it in operations on one
/// communicator; given back on destruction. Who sends to a process has been told its port, so that processes
/// agree on nothing about their ports.
class Port {
public:
  static constexpr int tags = 512; // in a port

  /// The first tag of the port of that number, of whichever process.
  static int first_tag(std::int64_t number) noexcept;

  /// None.
  Port() noexcept = default;
  /// None if all are leased. Any thread. Throws std::bad_alloc.
  static Port lease();
  Port(Port&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Port& operator=(Port&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Port();

  /// What no other port of this process has been called, nor will be, though its tags may have been
  /// another's, or will be; 0 if it is none.
  std::int64_t number() const noexcept { return number_; }

  /// Never gives it back: something may still come there.
  void keep() noexcept { number_ = 0; }

private:
  std::int64_t number_ = 0;
};

} // namespace helper::transport
