// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <unordered_set>
#include <variant>
#include <vector>

// The canonical form of a type map: the place of each byte of the packed stream. Only Forms builds it. Forms
// merges nested loops, joins adjacent runs, makes loops of equal pieces at equal distances and of repeated
// patterns, and expands small pieces inside an irregular sequence. The form of grids, lists of runs, and
// types of few runs does not depend on the constructors that made them.
namespace helper::layout {

/// The datatype has no form: MPI's description is not supported, or the form would be too large or too deep.
struct Undecodable : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Shape;

/// A part of the packed stream: `size` bytes, and how they are arranged in memory relative to the first byte.
struct Piece {
  std::size_t size = 0;
  std::shared_ptr<const Shape> shape; ///< null: a run of contiguous bytes

  bool operator==(const Piece& other) const;
};

inline bool is_run(const Piece& piece) {
  return piece.shape == nullptr;
}

/// A piece and the offset of its first byte in memory. An empty piece has the offset 0.
struct Placed {
  std::ptrdiff_t offset = 0;
  Piece piece;

  bool operator==(const Placed&) const = default;
};

/// Where a byte of a shape's packed stream is: the index of a part, and the byte's offset in that part. The
/// end of the stream counts as offset 0 in the part that would follow.
struct Position {
  std::size_t part;
  std::size_t within;
};

/// The offsets of parts at equal distances, indexed like an array.
struct Stride {
  std::ptrdiff_t step;

  std::ptrdiff_t operator[](std::size_t i) const { return static_cast<std::ptrdiff_t>(i) * step; }
};

/// A shape of `count` ≥ 2 equal pieces at equal distances.
struct Loop {
  std::size_t count;
  std::ptrdiff_t stride;
  Piece body;

  std::size_t parts() const { return count; }
  Stride place() const { return {stride}; }
  const Piece& piece(std::size_t) const { return body; }
  Position find(std::size_t at) const { return {at / body.size, at % body.size}; }
  bool operator==(const Loop&) const = default;
};

/// A shape of equal pieces at irregular distances.
struct Scatter {
  std::vector<std::ptrdiff_t> offsets;
  Piece body;

  std::size_t parts() const { return offsets.size(); }
  const std::ptrdiff_t* place() const { return offsets.data(); }
  const Piece& piece(std::size_t) const { return body; }
  Position find(std::size_t at) const { return {at / body.size, at % body.size}; }
  bool operator==(const Scatter&) const = default;
};

/// The offsets in the packed stream at which parts begin, followed by the end of the stream.
using Begins = std::vector<std::size_t>;

Position find(const Begins& begins, std::size_t at);

/// A shape of runs of different lengths.
struct Runs {
  Begins begins;
  std::vector<std::ptrdiff_t> offsets;

  std::size_t parts() const { return offsets.size(); }
  const std::ptrdiff_t* place() const { return offsets.data(); }
  Piece piece(std::size_t i) const { return {begins[i + 1] - begins[i], nullptr}; }
  Position find(std::size_t at) const { return layout::find(begins, at); }
  bool operator==(const Runs&) const = default;
};

/// A shape of different pieces.
struct Sequence {
  Begins begins;
  std::vector<std::ptrdiff_t> offsets;
  std::vector<Piece> pieces;

  std::size_t parts() const { return offsets.size(); }
  const std::ptrdiff_t* place() const { return offsets.data(); }
  const Piece& piece(std::size_t i) const { return pieces[i]; }
  Position find(std::size_t at) const { return layout::find(begins, at); }
  bool operator==(const Sequence&) const = default;
};

/// How pieces are arranged. Pieces may share a shape, so a form may be far smaller than the tree that it
/// represents. `runs` and `nested` are properties of that whole tree.
struct Shape : std::variant<Loop, Scatter, Runs, Sequence> {
  template <class Kind>
  explicit Shape(Kind kind);

  std::size_t runs;   ///< the number of runs of contiguous bytes
  std::size_t nested; ///< the depth of nested shapes, including this one
};

/// Returns the number of contiguous runs of the piece. A piece of no bytes has one.
inline std::size_t count_runs(const Piece& piece) {
  return is_run(piece) ? 1 : piece.shape->runs;
}

/// Returns how deeply shapes are nested in the piece. A walk through the form recurses to this depth.
inline std::size_t count_nested(const Piece& piece) {
  return is_run(piece) ? 0 : piece.shape->nested;
}

/// Returns whether two of the first `bytes` bytes of the packed stream of `placed` have the same address.
bool overlaps(const Placed& placed, std::size_t bytes);

inline Placed run(std::size_t bytes) {
  return {0, {bytes, nullptr}};
}

/// Makes forms. One object makes equal shapes only once, so it compares pieces by their pointers. Functions
/// throw Undecodable if a form would nest more than most_nested shapes, or exceed the address space.
class Forms {
public:
  static constexpr std::size_t most_nested = 32;

  /// Returns the form of `body`, repeated `count` times at distances of `stride` bytes.
  Placed loop(std::size_t count, std::ptrdiff_t stride, Placed body);

  /// Returns the form of the given pieces, one after the other in the packed stream.
  Placed sequence(std::vector<Placed> parts);

  /// Returns `placed` in a form that depends only on its runs; with over 1024 runs perhaps `placed` itself.
  Placed settled(Placed placed);

private:
  /// Hashes and compares shapes by their contents.
  struct ByContents {
    std::size_t operator()(const std::shared_ptr<const Shape>& shape) const;
    bool operator()(const auto& one, const auto& other) const { return *one == *other; }
  };

  Placed make(std::ptrdiff_t offset, std::size_t size, Shape shape);
  Placed loop_of(const std::vector<Placed>& parts, std::size_t first, std::size_t count);
  Placed list_of(std::vector<Placed> parts);
  void fold_long_progressions(std::vector<Placed>& parts);

  std::unordered_set<std::shared_ptr<const Shape>, ByContents, ByContents> shapes_;
};

inline Placed shifted(Placed placed, std::ptrdiff_t distance) {
  if (placed.piece.size != 0) placed.offset += distance;
  return placed;
}

} // namespace helper::layout
