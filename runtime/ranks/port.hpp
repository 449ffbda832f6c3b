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
  /// Leases a port whose tags are free. Its number is the lowest that is at least `least` and above all
  /// earlier numbers that were not random. If `least` is random, the port gets it; if its tags are not free,
  /// `least` counts as 1. Returns no port if all are leased or memory is lacking. Any thread may call it.
  static Port lease(std::int64_t least = 1) noexcept;
  Port(Port&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Port& operator=(Port&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Port();

  /// Returns a number that no other port of this process has had or will have, unless random numbers repeat.
  /// Returns 0 if the object has no port.
  std::int64_t number() const noexcept { return number_; }

  /// Keeps the destructor from giving the port back, since messages may still arrive there.
  void keep() noexcept { number_ = 0; }

private:
  std::int64_t number_ = 0;
};

} // namespace helper::ranks
