// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

// The canonical form of a type map: where each byte of the packed stream lies. Built by the functions below
// only, which keep it canonical: loops over loops are merged, adjacent runs joined, equal pieces at equal
// distances made into a loop, small pieces inside an irregular sequence expanded. Type maps that are regular,
// or irregular lists of runs, so have one form however they were constructed.
namespace helper::layout {

struct Loop;
struct Scatter;
struct Sequence;
using Shape = std::variant<Loop, Scatter, Sequence>;

/// A part of the packed stream, of `size` bytes, relative to the address of its first byte.
struct Piece {
  std::size_t size = 0;
  std::shared_ptr<const Shape> shape; ///< null: a run of dense bytes

  bool operator==(const Piece& other) const;
};

/// A piece whose first byte lies at `offset` bytes from somewhere. An empty piece lies at 0.
struct Placed {
  std::ptrdiff_t offset = 0;
  Piece piece;

  bool operator==(const Placed&) const = default;
};

/// `count` ≥ 2 equal pieces at equal distances.
struct Loop {
  std::size_t count;
  std::ptrdiff_t stride;
  Piece body;

  std::size_t parts() const { return count; }
  /// A function from a part's index to its offset. It holds values only, so that a compiler need not assume
  /// that copying data changes them.
  auto place() const {
    return [step = stride](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * step; };
  }
  bool operator==(const Loop&) const = default;
};

/// Equal pieces at irregular distances.
struct Scatter {
  std::vector<std::ptrdiff_t> offsets;
  Piece body;

  std::size_t parts() const { return offsets.size(); }
  auto place() const {
    return [first = offsets.data()](std::size_t i) { return first[i]; };
  }
  bool operator==(const Scatter&) const = default;
};

/// Different pieces; `begins[i]` is where parts[i] begins in the packed stream.
struct Sequence {
  std::vector<std::size_t> begins;
  std::vector<Placed> parts;

  bool operator==(const Sequence&) const = default;
};

/// `bytes` dense bytes at offset 0.
Placed run(std::size_t bytes);

/// `body`, `count` times, each `stride` bytes after the one before.
Placed loop(std::size_t count, std::ptrdiff_t stride, Placed body);

/// The given pieces, one after the other.
Placed sequence(std::vector<Placed> parts);

inline Placed shifted(Placed placed, std::ptrdiff_t distance) {
  if (placed.piece.size != 0) placed.offset += distance;
  return placed;
}

} // namespace helper::layout
