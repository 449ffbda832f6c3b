// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/form.hpp"

#include <algorithm>
#include <cstdint>
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

// The number of runs in `piece`, or any number from `worth_a_loop` on if there are so many.
std::size_t runs(const Piece& piece) {
  if (is_run(piece)) return 1;
  if (const auto* sequence = std::get_if<Sequence>(piece.shape.get())) {
    std::size_t sum = 0;
    for (const Placed& part : sequence->parts) {
      sum += runs(part.piece);
      if (sum >= worth_a_loop) break;
    }
    return sum;
  }
  if (const auto* scatter = std::get_if<Scatter>(piece.shape.get()))
    return std::min(scatter->offsets.size(), worth_a_loop) * runs(scatter->body);
  const auto& loop = std::get<Loop>(*piece.shape);
  return std::min(loop.count, worth_a_loop) * runs(loop.body);
}

// Appends `placed` to `list` run by run.
void expand(const Placed& placed, std::vector<Placed>& list) {
  const auto& [offset, piece] = placed;
  if (is_run(piece)) {
    list.push_back(placed);
  } else if (const auto* sequence = std::get_if<Sequence>(piece.shape.get())) {
    for (const Placed& part : sequence->parts) expand(shifted(part, offset), list);
  } else if (const auto* scatter = std::get_if<Scatter>(piece.shape.get())) {
    for (const std::ptrdiff_t at : scatter->offsets) expand({offset + at, scatter->body}, list);
  } else {
    const auto& loop = std::get<Loop>(*piece.shape);
    for (std::size_t i = 0; i < loop.count; ++i) expand({offset + loop.offset(i), loop.body}, list);
  }
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

// The number of equal parts at equal distances from parts[first] on.
std::size_t progression(const std::vector<Placed>& parts, std::size_t first) {
  std::size_t end = first + 1;
  while (end < parts.size() && parts[end].piece == parts[first].piece &&
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
    const std::size_t length = progression(parts, 0);
    if (length == 1 || parts.size() % length != 0) return std::nullopt;
    std::vector<Placed> outer;
    for (std::size_t first = 0; first < parts.size(); first += length) {
      if (progression(parts, first) < length) return std::nullopt;
      outer.push_back(loop_of(parts, first, length));
      if (outer.back().piece != outer.front().piece) return std::nullopt;
    }
    parts = std::move(outer);
  }
  return parts.front();
}

void fold_long_progressions(std::vector<Placed>& parts) {
  std::size_t last = 0;
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t length = progression(parts, first);
    if (length < worth_a_loop) {
      parts[last++] = parts[first++];
    } else {
      parts[last++] = loop_of(parts, first, length);
      first += length;
    }
  }
  parts.resize(last);
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
  if (const Loop* inner = std::get_if<Loop>(piece.shape.get());
      inner && stride == inner->offset(inner->count))
    return make(offset, size, Loop{count * inner->count, inner->stride, inner->body});
  return make(offset, size, Loop{count, stride, piece});
}

Placed sequence(std::vector<Placed> given) {
  std::vector<Placed> parts = expand_small(std::move(given));
  if (parts.empty()) return {};
  join_adjacent_runs(parts);
  if (const auto loops = as_loops(parts)) return *loops;
  fold_long_progressions(parts);

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
