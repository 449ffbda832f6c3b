// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <utility>

namespace helper::ranks {

/// A range of this process's tags on world::operations(), for messages on one communicator. All processes of
/// a communicator lease ports of the same number, so that none stores the numbers of others. The destructor
/// gives the port back.
class Port {
public:
  static constexpr int tags = 512;                                   // in a port
  static constexpr std::int64_t first_drawn = std::int64_t{1} << 40; // numbers from here on are random

  /// Returns the first tag of the port of that number, at any process.
  static int first_tag(std::int64_t number) noexcept;

  Port() noexcept = default;
  /// Leases a port with free tags: that with the lowest number, `least` or greater, that no port of this
  /// process has had. If `least` is random, leases the port of this number or, if its tags are not free, one
  /// as if `least` were 1. Returns none if all ports are leased, or without memory. Any thread may call it.
  static Port lease(std::int64_t least = 1) noexcept;
  Port(Port&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Port& operator=(Port&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Port();

  /// Returns a number that no other port of this process has had or will have, unless random numbers repeat;
  /// 0 if this is no port.
  std::int64_t number() const noexcept { return number_; }

  /// Never gives the port back: messages may still arrive there.
  void keep() noexcept { number_ = 0; }

private:
  std::int64_t number_ = 0;
};

} // namespace helper::ranks
