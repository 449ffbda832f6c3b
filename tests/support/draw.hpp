// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

namespace test_support {

/// Random numbers. Draws are equal at all ranks if the ranks have made objects with the same `stream` and
/// make the same draws; such objects are called `shared`.
class Draw {
public:
  explicit Draw(std::uint64_t stream) : engine_(stream) {}
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(engine_); }
  bool coin() { return upto(1) == 1; }
  template <class Choices>
  const auto& of(const Choices& choices) {
    return choices[static_cast<std::size_t>(upto(static_cast<int>(std::size(choices)) - 1))];
  }
  template <class Choice>
  Choice of(std::initializer_list<Choice> choices) {
    return choices.begin()[upto(static_cast<int>(choices.size()) - 1)];
  }
  /// Draws a size in bytes: up to 64, near 16 KiB, up to 40000 or up to `most`, with equal probability.
  int bytes(int most) {
    switch (upto(3)) {
    case 0:
      return upto(64);
    case 1:
      return upto(16) + 16 * 1024 - 8;
    case 2:
      return upto(40000);
    default:
      return upto(most);
    }
  }
  void fill(std::vector<unsigned char>& buffer) {
    for (unsigned char& byte : buffer) byte = static_cast<unsigned char>(engine_());
  }
  template <class Range>
  void shuffle(Range& range) {
    std::shuffle(range.begin(), range.end(), engine_);
  }

private:
  std::mt19937_64 engine_;
};

} // namespace test_support
