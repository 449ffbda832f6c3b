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
// merges loops over loops, joins adjacent runs, makes loops of equal pieces at equal distances and of
// patterns that repeat, and expands small pieces inside an irregular sequence. Grids, lists of runs, and
// types of at most some thousand runs have one form, whatever constructors made them.
namespace helper::layout {

/// A datatype has no form: what MPI says of it is not supported, or the form would not be bounded.
struct Undecodable : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Shape;

/// A part of the packed stream, of `size` bytes, relative to the address of its first byte.
struct Piece {
  std::size_t size = 0;
  std::shared_ptr<const Shape> shape; ///< null: a run of dense bytes

  bool operator==(const Piece& other) const;
};

inline bool is_run(const Piece& piece) {
  return piece.shape == nullptr;
}

/// A piece whose first byte lies at `offset` bytes from somewhere. An empty piece lies at 0.
struct Placed {
  std::ptrdiff_t offset = 0;
  Piece piece;

  bool operator==(const Placed&) const = default;
};

/// The place of a byte of a shape's packed stream: its part, and its place in the part. The end of the stream
/// is the beginning of the part that would follow.
struct Position {
  std::size_t part;
  std::size_t within;
};

/// Functions from the index of a part to its offset. They hold values only, so that a compiler need not
/// assume that copying data changes them.
struct Stride {
  std::ptrdiff_t step;

  std::ptrdiff_t operator()(std::size_t i) const { return static_cast<std::ptrdiff_t>(i) * step; }
};
struct Offsets {
  const std::ptrdiff_t* first;

  std::ptrdiff_t operator()(std::size_t i) const { return first[i]; }
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
  Offsets place() const { return {offsets.data()}; }
  const Piece& piece(std::size_t) const { return body; }
  Position find(std::size_t at) const { return {at / body.size, at % body.size}; }
  bool operator==(const Scatter&) const = default;
};

/// The places where parts begin in the packed stream, and, last, where it ends.
using Begins = std::vector<std::size_t>;

Position find(const Begins& begins, std::size_t at);

/// A shape of runs of different lengths.
struct Runs {
  Begins begins;
  std::vector<std::ptrdiff_t> offsets;

  std::size_t parts() const { return offsets.size(); }
  Offsets place() const { return {offsets.data()}; }
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
  Offsets place() const { return {offsets.data()}; }
  const Piece& piece(std::size_t i) const { return pieces[i]; }
  Position find(std::size_t at) const { return layout::find(begins, at); }
  bool operator==(const Sequence&) const = default;
};

/// How pieces lie together. Pieces may share a shape, so a form may be far smaller than the tree that it
/// stands for. The properties of the whole tree are kept here.
struct Shape : std::variant<Loop, Scatter, Runs, Sequence> {
  template <class Kind>
  explicit Shape(Kind kind);

  std::size_t runs;   ///< of dense bytes in all
  std::size_t nested; ///< how many shapes lie within one another, this one included
};

/// Returns how many runs of dense bytes the piece consists of. A piece of no bytes has one.
inline std::size_t count_runs(const Piece& piece) {
  return is_run(piece) ? 1 : piece.shape->runs;
}

/// Returns how many shapes lie within one another, the depth to which a walk through the form recurses.
inline std::size_t count_nested(const Piece& piece) {
  return is_run(piece) ? 0 : piece.shape->nested;
}

/// Returns whether any of the first `bytes` bytes of the packed stream lie in the same place.
bool overlaps(const Placed& placed, std::size_t bytes);

/// Returns a run of `bytes` dense bytes at offset 0.
inline Placed run(std::size_t bytes) {
  return {0, {bytes, nullptr}};
}

/// Makes forms. Equal shapes made by one object are the same shape, so the time to compare pieces does not
/// grow with the trees that they stand for. No form has more than most_nested shapes within one another, nor
/// more bytes than an address can span: otherwise the functions throw Undecodable.
class Forms {
public:
  static constexpr std::size_t most_nested = 32;

  /// Returns the form of `body`, `count` times, each `stride` bytes after the one before.
  Placed loop(std::size_t count, std::ptrdiff_t stride, Placed body);

  /// Returns the form of the given pieces, one after the other.
  Placed sequence(std::vector<Placed> parts);

  /// Returns `placed` in a form that its runs alone decide, unless these are more than 1024 and neither a
  /// grid nor a list.
  Placed settled(Placed placed);

private:
  struct ShapeHash {
    std::size_t operator()(const std::shared_ptr<const Shape>& shape) const;
  };
  struct ShapeEqual {
    bool operator()(const auto& one, const auto& other) const { return *one == *other; }
  };

  Placed make(std::ptrdiff_t offset, std::size_t size, Shape shape);
  Placed loop_of(const std::vector<Placed>& parts, std::size_t first, std::size_t count);
  Placed list_of(std::vector<Placed> parts);
  void fold_long_progressions(std::vector<Placed>& parts);

  std::unordered_set<std::shared_ptr<const Shape>, ShapeHash, ShapeEqual> shapes_;
};

inline Placed shifted(Placed placed, std::ptrdiff_t distance) {
  if (placed.piece.size != 0) placed.offset += distance;
  return placed;
}

} // namespace helper::layout
