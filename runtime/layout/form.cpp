// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/form.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace helper::layout {
namespace {

// In an irregular sequence, what has fewer runs than this is written out run by run, and fewer equal pieces
// at equal distances than this are no loop: one flat list of runs is faster than a tree of small loops.
constexpr std::size_t worth_a_loop = 8;

std::ptrdiff_t signed_size(const Piece& piece) {
  return static_cast<std::ptrdiff_t>(piece.size);
}

bool is_run(const Piece& piece) {
  return piece.shape == nullptr;
}

Placed make(std::ptrdiff_t offset, std::size_t size, Shape shape) {
  return {offset, {size, std::make_shared<const Shape>(std::move(shape))}};
}

std::size_t runs(const Piece& piece);

std::size_t runs(const Sequence& sequence) {
  std::size_t sum = 0;
  for (const Placed& part : sequence.parts)
    if ((sum += runs(part.piece)) >= worth_a_loop) break;
  return sum;
}

template <typename Equals>
std::size_t runs(const Equals& equals) {
  return std::min(equals.parts(), worth_a_loop) * runs(equals.body);
}

// The number of runs in `piece`, or `worth_a_loop` if there are more.
std::size_t runs(const Piece& piece) {
  if (is_run(piece)) return 1;
  return std::min(worth_a_loop, std::visit([](const auto& shape) { return runs(shape); }, *piece.shape));
}

// Appends `placed` to `list` run by run.
void expand(const Placed& placed, std::vector<Placed>& list);

void expand(const Sequence& sequence, std::ptrdiff_t origin, std::vector<Placed>& list) {
  for (const Placed& part : sequence.parts) expand(shifted(part, origin), list);
}

template <typename Equals>
void expand(const Equals& equals, std::ptrdiff_t origin, std::vector<Placed>& list) {
  for (std::size_t i = 0; i < equals.parts(); ++i) expand({origin + equals.place()(i), equals.body}, list);
}

void expand(const Placed& placed, std::vector<Placed>& list) {
  if (is_run(placed.piece))
    list.push_back(placed);
  else
    std::visit([&](const auto& shape) { expand(shape, placed.offset, list); }, *placed.piece.shape);
}

std::vector<Placed> expand_small(std::vector<Placed> parts) {
  std::vector<Placed> list;
  list.reserve(parts.size());
  for (Placed& part : parts) {
    if (part.piece.size == 0) continue;
    if (is_run(part.piece) || runs(part.piece) >= worth_a_loop)
      list.push_back(std::move(part));
    else
      expand(part, list);
  }
  return list;
}

void join_adjacent_runs(std::vector<Placed>& parts) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Piece& piece = parts[last].piece;
    if (is_run(piece) && is_run(parts[i].piece) && parts[i].offset == parts[last].offset + signed_size(piece))
      piece.size += parts[i].piece.size;
    else if (++last != i)
      parts[last] = std::move(parts[i]);
  }
  parts.resize(std::min(parts.size(), last + 1));
}

// The number of equal parts at equal distances from parts[first] on, as far as parts[limit].
std::size_t progression(const std::vector<Placed>& parts, std::size_t first, std::size_t limit) {
  std::size_t end = first + 1;
  while (end < limit && parts[end].piece == parts[first].piece &&
         parts[end].offset - parts[end - 1].offset == parts[first + 1].offset - parts[first].offset)
    ++end;
  return end - first;
}

Placed loop_of(const std::vector<Placed>& parts, std::size_t first, std::size_t count) {
  return count == 1 ? parts[first] : loop(count, parts[first + 1].offset - parts[first].offset, parts[first]);
}

// All of `parts` as nested loops, if they are that regular.
std::optional<Placed> as_loops(std::vector<Placed> parts) {
  while (parts.size() > 1) {
    const std::size_t length = progression(parts, 0, parts.size());
    if (length == 1 || parts.size() % length != 0) return std::nullopt;
    std::vector<Placed> outer;
    for (std::size_t first = 0; first < parts.size(); first += length) {
      if (progression(parts, first, first + length) < length) return std::nullopt;
      outer.push_back(loop_of(parts, first, length));
      if (outer.back().piece != outer.front().piece) return std::nullopt;
    }
    parts = std::move(outer);
  }
  return parts.front();
}

// Cuts short runs of different lengths into equal ones: a loop over these is free of branches, whose
// misprediction costs more than copying a few units.
void cut_short_runs(std::vector<Placed>& parts) {
  if (!std::all_of(parts.begin(), parts.end(), [](const Placed& part) { return is_run(part.piece); })) return;
  std::size_t unit = 0;
  std::size_t size = 0;
  for (const Placed& part : parts) {
    unit = std::gcd(unit, part.piece.size);
    size += part.piece.size;
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

// Makes long progressions loops, where that leaves few parts: a loop here and there would only make the rest
// slower.
void fold_long_progressions(std::vector<Placed>& parts) {
  std::vector<Placed> folded;
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t length = progression(parts, first, parts.size());
    const std::size_t taken = length < worth_a_loop ? 1 : length;
    folded.push_back(loop_of(parts, first, taken));
    first += taken;
  }
  if (folded.size() <= parts.size() / worth_a_loop) parts = std::move(folded);
}

// Whether a copy of `loop` that lies `distance` further goes on where it ends. The product may overflow, so
// it divides.
bool continues(const Loop& loop, std::ptrdiff_t distance) {
  const auto count = static_cast<std::ptrdiff_t>(loop.count);
  return distance % count == 0 && distance / count == loop.stride;
}

} // namespace

bool Piece::operator==(const Piece& other) const {
  if (size != other.size) return false;
  return shape == other.shape || (shape && other.shape && *shape == *other.shape);
}

Placed run(std::size_t bytes) {
  return {0, {bytes, nullptr}};
}

Placed loop(std::size_t count, std::ptrdiff_t stride, Placed body) {
  const auto& [offset, piece] = body;
  if (count == 0 || piece.size == 0) return {};
  if (count == 1) return body;
  const std::size_t size = count * piece.size;
  if (is_run(piece) && stride == signed_size(piece)) return {offset, {size, nullptr}};
  const Loop* inner = std::get_if<Loop>(piece.shape.get());
  if (inner != nullptr && continues(*inner, stride))
    return make(offset, size, Loop{count * inner->count, inner->stride, inner->body});
  return make(offset, size, Loop{count, stride, piece});
}

Placed sequence(std::vector<Placed> given) {
  std::vector<Placed> parts = expand_small(std::move(given));
  if (parts.empty()) return {};
  join_adjacent_runs(parts);
  if (const auto loops = as_loops(parts)) return *loops;
  fold_long_progressions(parts);
  cut_short_runs(parts);

  const std::ptrdiff_t origin = parts.front().offset;
  for (Placed& part : parts) part.offset -= origin;
  const Piece first = parts.front().piece;
  if (std::all_of(parts.begin(), parts.end(), [&](const Placed& part) { return part.piece == first; })) {
    Scatter scatter{{}, first};
    for (const Placed& part : parts) scatter.offsets.push_back(part.offset);
    return make(origin, parts.size() * first.size, std::move(scatter));
  }
  Sequence sequence;
  std::size_t size = 0;
  for (const Placed& part : parts) {
    sequence.begins.push_back(size);
    size += part.piece.size;
  }
  sequence.parts = std::move(parts);
  return make(origin, size, std::move(sequence));
}

} // namespace helper::layout
