// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "layout/type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test_support {

/// A type, and a text that shows how it was built.
struct Built {
  std::shared_ptr<const Type> owner; ///< null if predefined
  MPI_Datatype type;
  std::string text;

  std::size_t size() const;
  MPI_Aint extent() const;
};

class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  int between(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  bool one_in(int n) { return between(1, n) == 1; }
  std::vector<std::byte> bytes(std::size_t n);

  template <typename Item>
  void shuffle(std::vector<Item>& items) {
    std::shuffle(items.begin(), items.end(), engine_);
  }

private:
  std::mt19937_64 engine_;
};

/// Builds random types: nested, with all constructors, and with both kinds of counts.
class RandomTypes {
public:
  explicit RandomTypes(Random& random) : random_(random) {}

  /// Returns a type of moderate size, nested in at most `depth` constructors. It is not empty: MPICH 4.0.2
  /// divides by zero if a piece of a type is empty. Its extent is not negative, which MPICH does not support.
  Built type(int depth);

private:
  Built any_type(int depth);
  Built predefined();
  Built duplicate(const Built& inner);
  Built contiguous(const Built& inner);
  Built vector(const Built& inner);
  Built hvector(const Built& inner);
  Built indexed(const Built& inner);
  Built hindexed(const Built& inner);
  Built indexed_block(const Built& inner);
  Built hindexed_block(const Built& inner);
  Built resized(const Built& inner);
  Built subarray(const Built& inner);
  Built darray(const Built& inner);
  Built structure(int depth);

  int stride(int length);
  std::vector<int> lengths(std::size_t most);
  std::vector<int> equal_lengths();
  template <typename Number>
  std::vector<Number> places(const std::vector<int>& lengths, MPI_Aint unit);

  Random& random_;
};

} // namespace test_support
