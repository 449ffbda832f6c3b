// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/form.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace helper::layout {

namespace {

// The fewest runs or equal pieces that make a loop in an irregular sequence. Pieces with fewer runs are
// expanded: one flat list of runs is faster than many small loops.
constexpr std::size_t worth_a_loop = 8;

std::ptrdiff_t signed_size(const Piece& piece) {
  return static_cast<std::ptrdiff_t>(piece.size);
}

constexpr const char* too_large = "the data do not fit into memory";

std::size_t checked_product(std::size_t count, std::size_t bytes) {
  std::ptrdiff_t size = 0;
  if (__builtin_mul_overflow(count, bytes, &size)) throw Undecodable(too_large);
  return static_cast<std::size_t>(size);
}

std::size_t checked_sum(std::size_t bytes, std::size_t more) {
  std::ptrdiff_t size = 0;
  if (__builtin_add_overflow(bytes, more, &size)) throw Undecodable(too_large);
  return static_cast<std::size_t>(size);
}

// Returns whether two pieces are equal. The same Forms must have made both.
bool same(const Piece& one, const Piece& other) {
  return one.size == other.size && one.shape == other.shape;
}

// Appends the runs of the first `left` bytes of `placed` to `list`. Returns how many bytes are missing.
std::size_t add_runs(const Placed& placed, std::size_t left, std::vector<Placed>& list) {
  if (is_run(placed.piece)) {
    const std::size_t bytes = std::min(left, placed.piece.size);
    list.push_back(shifted(run(bytes), placed.offset));
    return left - bytes;
  }
  std::visit(
      [&](const auto& shape) {
        for (std::size_t i = 0; i < shape.parts() && left != 0; ++i)
          left = add_runs({placed.offset + shape.place()[i], shape.piece(i)}, left, list);
      },
      *placed.piece.shape);
  return left;
}

std::vector<Placed> expand_small(std::vector<Placed> parts) {
  std::vector<Placed> list;
  list.reserve(parts.size());
  for (Placed& part : parts) {
    if (part.piece.size == 0) continue;
    if (is_run(part.piece) || count_runs(part.piece) >= worth_a_loop)
      list.push_back(std::move(part));
    else
      add_runs(part, part.piece.size, list);
  }
  return list;
}

void join_adjacent_runs(std::vector<Placed>& parts) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Piece& piece = parts[last].piece;
    if (is_run(piece) && is_run(parts[i].piece) && parts[i].offset == parts[last].offset + signed_size(piece))
      piece.size = checked_sum(piece.size, parts[i].piece.size);
    else if (++last != i)
      parts[last] = std::move(parts[i]);
  }
  parts.resize(std::min(parts.size(), last + 1));
}

// Returns how many parts, from parts[first] on and before parts[limit], are equal and at equal distances.
std::size_t progression(const std::vector<Placed>& parts, std::size_t first, std::size_t limit) {
  std::size_t end = first + 1;
  while (end < limit && same(parts[end].piece, parts[first].piece) &&
         parts[end].offset - parts[end - 1].offset == parts[first + 1].offset - parts[first].offset)
    ++end;
  return end - first;
}

// Returns the smallest number of parts that, repeated at equal distances, make up all `parts`.
std::size_t period(const std::vector<Placed>& parts) {
  const std::size_t count = parts.size();
  const auto alike = [&](std::size_t i, std::size_t j) { // equal, with equal distances to the next parts
    return same(parts[i].piece, parts[j].piece) &&
           parts[i + 1].offset - parts[i].offset == parts[j + 1].offset - parts[j].offset;
  };
  // The failure function of Knuth, Morris and Pratt, of all parts but the last, which has no successor.
  std::vector<std::size_t> border(count, 0);
  for (std::size_t i = 1; i + 1 < count; ++i) {
    std::size_t length = border[i - 1];
    while (length != 0 && !alike(i, length)) length = border[length - 1];
    border[i] = alike(i, length) ? length + 1 : 0;
  }
  const std::size_t found = count < 2 ? 1 : count - 1 - border[count - 2];
  const bool repeats = count % found == 0 && same(parts.back().piece, parts[found - 1].piece);
  return repeats ? found : count;
}

// Cuts runs of different lengths into equal units, if the runs are short. A loop over equal units has no
// branches. A mispredicted branch costs more than copying a few units.
void cut_short_runs(std::vector<Placed>& parts) {
  if (!std::ranges::all_of(parts, is_run, &Placed::piece)) return;
  std::size_t unit = 0;
  std::size_t size = 0;
  for (const Placed& part : parts) {
    unit = std::gcd(unit, part.piece.size);
    size = checked_sum(size, part.piece.size);
  }
  constexpr std::size_t most_units_per_run = 4;
  if (size / unit > most_units_per_run * parts.size()) return;
  std::vector<Placed> units;
  units.reserve(size / unit);
  for (const auto& [offset, piece] : parts)
    for (std::size_t at = 0; at < piece.size; at += unit)
      units.push_back({offset + static_cast<std::ptrdiff_t>(at), {unit, nullptr}});
  parts = std::move(units);
}

// Returns whether a copy of `loop`, moved by `distance`, continues `loop`. Divides: a product may overflow.
bool continues(const Loop& loop, std::ptrdiff_t distance) {
  const auto count = static_cast<std::ptrdiff_t>(loop.count);
  return distance % count == 0 && distance / count == loop.stride;
}

// Returns whether the piece is a run, or a list of runs as sequence() makes it.
bool is_list_of_runs(const Piece& piece) {
  if (is_run(piece)) return true;
  const Scatter* scatter = std::get_if<Scatter>(piece.shape.get());
  return scatter != nullptr ? is_run(scatter->body) : std::holds_alternative<Runs>(*piece.shape);
}

// Returns where the last run of `piece` ends if `piece` is a grid, otherwise nothing. In a grid the runs are
// equal and at equal distances in every dimension, and no run begins where the previous run ends.
std::optional<std::ptrdiff_t> end_of_grid(const Piece& piece) {
  if (is_run(piece)) return signed_size(piece);
  const Loop* loop = std::get_if<Loop>(piece.shape.get());
  if (loop == nullptr) return std::nullopt;
  const std::optional<std::ptrdiff_t> end = end_of_grid(loop->body);
  if (!end || *end == loop->stride) return std::nullopt;
  return static_cast<std::ptrdiff_t>(loop->count - 1) * loop->stride + *end;
}

} // namespace

bool Piece::operator==(const Piece& other) const {
  if (size != other.size) return false;
  return shape == other.shape || (shape && other.shape && *shape == *other.shape);
}

Position find(const Begins& begins, std::size_t at) {
  const auto part = static_cast<std::size_t>(std::ranges::upper_bound(begins, at) - begins.begin()) - 1;
  return {part, at - begins[part]};
}

template <class Kind>
Shape::Shape(Kind kind) : variant(std::move(kind)), runs(0), nested(1) {
  const Kind& made = std::get<Kind>(*this);
  if constexpr (requires { made.body; }) {
    runs = made.parts() * count_runs(made.body); // does not overflow: each run has at least one byte
    nested += count_nested(made.body);
  } else if constexpr (requires { made.pieces; }) {
    for (const Piece& piece : made.pieces) {
      runs += count_runs(piece);
      nested = std::max(nested, 1 + count_nested(piece));
    }
  } else {
    runs = made.parts();
  }
}

bool overlaps(const Placed& placed, std::size_t bytes) {
  if (is_run(placed.piece)) return false;
  std::vector<Placed> runs;
  add_runs({0, placed.piece}, bytes, runs);
  std::ranges::sort(runs, {}, &Placed::offset);
  const auto overlap = [](const Placed& one, const Placed& next) {
    return one.offset + static_cast<std::ptrdiff_t>(one.piece.size) > next.offset;
  };
  return std::ranges::adjacent_find(runs, overlap) != runs.end();
}

// Hashes a shape by its contents. Nested shapes count by their addresses, since equal ones are one object.
std::size_t Forms::ByContents::operator()(const std::shared_ptr<const Shape>& shape) const {
  std::size_t value = shape->index();
  const auto add = [&value]<class Number>(Number number) {
    constexpr std::size_t golden_ratio = 0x9e3779b97f4a7c15U; // the bits of its fraction
    value = (value ^ std::hash<Number>{}(number)) * golden_ratio;
    value ^= value >> 32;
  };
  const auto add_piece = [&add](const Piece& piece) { add(piece.size), add(piece.shape.get()); };
  std::visit(
      [&](const auto& made) {
        if constexpr (requires { made.stride; })
          add(made.count), add(made.stride);
        else
          std::ranges::for_each(made.offsets, add);
        if constexpr (requires { made.body; })
          add_piece(made.body);
        else
          std::ranges::for_each(made.begins, add);
        if constexpr (requires { made.pieces; }) std::ranges::for_each(made.pieces, add_piece);
      },
      *shape);
  return value;
}

Placed Forms::make(std::ptrdiff_t offset, std::size_t size, Shape shape) {
  const auto one = *shapes_.insert(std::make_shared<const Shape>(std::move(shape))).first;
  Placed made{offset, {size, one}};
  if (one->nested <= most_nested) return made;
  Placed flat = settled(made);
  if (count_nested(flat.piece) > most_nested) throw Undecodable("the datatype is nested too deeply");
  return flat;
}

Placed Forms::loop(std::size_t count, std::ptrdiff_t stride, Placed body) {
  const auto& [offset, piece] = body;
  if (count == 0 || piece.size == 0) return {};
  if (count == 1) return body;
  const std::size_t size = checked_product(count, piece.size);
  if (is_run(piece) && stride == signed_size(piece)) return {offset, {size, nullptr}};
  const Loop* inner = std::get_if<Loop>(piece.shape.get());
  if (inner != nullptr && continues(*inner, stride))
    return make(offset, size, Shape(Loop{count * inner->count, inner->stride, inner->body}));
  return make(offset, size, Shape(Loop{count, stride, piece}));
}

Placed Forms::loop_of(const std::vector<Placed>& parts, std::size_t first, std::size_t count) {
  return count == 1 ? parts[first] : loop(count, parts[first + 1].offset - parts[first].offset, parts[first]);
}

// Turns long progressions into loops, repeatedly. Changes nothing if many parts would remain, because a loop
// among many runs slows down the copy of these runs.
void Forms::fold_long_progressions(std::vector<Placed>& parts) {
  std::vector<Placed> folded;
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t length = progression(parts, first, parts.size());
    const std::size_t taken = length < worth_a_loop ? 1 : length;
    folded.push_back(loop_of(parts, first, taken));
    first += taken;
  }
  if (folded.size() > parts.size() / worth_a_loop) return;
  parts = std::move(folded);
  fold_long_progressions(parts);
}

Placed Forms::list_of(std::vector<Placed> parts) {
  const std::ptrdiff_t origin = parts.front().offset;
  Begins begins{0};
  std::vector<std::ptrdiff_t> offsets;
  std::vector<Piece> pieces;
  for (Placed& part : parts) {
    begins.push_back(checked_sum(begins.back(), part.piece.size));
    offsets.push_back(part.offset - origin);
    pieces.push_back(std::move(part.piece));
  }
  const std::size_t size = begins.back();
  const Piece first = pieces.front();
  if (std::ranges::all_of(pieces, [&](const Piece& piece) { return same(piece, first); }))
    return make(origin, size, Shape(Scatter{std::move(offsets), first}));
  if (std::ranges::all_of(pieces, is_run))
    return make(origin, size, Shape(Runs{std::move(begins), std::move(offsets)}));
  return make(origin, size, Shape(Sequence{std::move(begins), std::move(offsets), std::move(pieces)}));
}

Placed Forms::sequence(std::vector<Placed> given) {
  std::vector<Placed> parts = expand_small(std::move(given));
  if (parts.empty()) return {};
  join_adjacent_runs(parts);
  if (const std::size_t length = period(parts); length < parts.size()) {
    const std::size_t times = parts.size() / length;
    const std::ptrdiff_t stride = parts[length].offset - parts.front().offset;
    parts.resize(length);
    return loop(times, stride, sequence(std::move(parts)));
  }
  if (parts.size() == 1) return parts.front();
  fold_long_progressions(parts);
  cut_short_runs(parts);
  return list_of(std::move(parts));
}

Placed Forms::settled(Placed placed) {
  constexpr std::size_t most = 1024; // settling so many runs takes some 20 µs
  const bool is_settled = is_list_of_runs(placed.piece) || end_of_grid(placed.piece);
  if (is_settled || count_runs(placed.piece) > most) return placed;
  std::vector<Placed> runs;
  add_runs(placed, placed.piece.size, runs);
  return sequence(std::move(runs));
}

} // namespace helper::layout
