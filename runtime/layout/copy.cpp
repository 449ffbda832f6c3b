// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/copy.hpp"

#include <vector>

#include "layout/layout.hpp"

namespace helper::layout {
namespace {

template <Direction direction>
void copy_portably(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
                   Packed<direction> packed) noexcept {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    packed = with_length(begins[i + 1] - begins[i], [&](auto length) {
      return copy_run<direction>(packed, moved(user, offsets[i]), length);
    });
}

// Copies pieces one after the other, and advances packed_ to the end of each copied piece.
template <Direction direction>
class Walk {
public:
  explicit Walk(Packed<direction> packed) : packed_(packed) {}

  // Copies bytes [begin, end) of the packed stream of `piece`, which is at `user`.
  void part_of(const Piece& piece, Address user, std::size_t begin, std::size_t end) {
    if (is_run(piece))
      packed_ = copy_run<direction>(packed_, user + begin, end - begin);
    else
      std::visit([&](const auto& shape) { part_of(shape, user, begin, end); }, *piece.shape);
  }

private:
  template <typename AnyShape>
  void part_of(const AnyShape& shape, Address user, std::size_t begin, std::size_t end) {
    auto [first, skipped] = shape.find(begin);
    const auto [last, rest] = shape.find(end);
    const auto within = [&](std::size_t i, std::size_t from, std::size_t to) {
      part_of(shape.piece(i), moved(user, shape.place()[i]), from, to);
    };
    if (first == last) return within(first, skipped, rest);
    if (skipped != 0) {
      within(first, skipped, shape.piece(first).size);
      ++first;
    }
    whole(shape, user, first, last);
    if (rest != 0) within(last, 0, rest);
  }

  // Copies the whole parts [first, last) of a shape. Needs no divisions and no searches.
  template <typename Equals> // Loop or Scatter
  void whole(const Equals& equals, Address user, std::size_t first, std::size_t last) {
    const auto place = equals.place();
    if (is_run(equals.body)) {
      with_length(equals.body.size, [&](auto length) {
        packed_ = copy_runs<direction>(packed_, user, place, first, last, length);
      });
    } else {
      std::visit([&](const auto& shape) { rows(shape, place, user, first, last); }, *equals.body.shape);
    }
  }

  void whole(const Runs& runs, Address user, std::size_t first, std::size_t last) {
    static const RunKernels& kernels = run_kernels().back();
    const std::span offsets(runs.offsets.data() + first, last - first);
    const std::size_t* begins = runs.begins.data() + first;
    if constexpr (direction == Direction::pack)
      kernels.pack(offsets, begins, user, packed_);
    else
      kernels.unpack(offsets, begins, user, packed_);
    packed_ += runs.begins[last] - runs.begins[first];
  }

  void whole(const Sequence& sequence, Address user, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Piece& piece = sequence.pieces[i];
      const Address at = moved(user, sequence.offsets[i]);
      if (is_run(piece))
        packed_ = copy_run<direction>(packed_, at, piece.size);
      else
        std::visit([&](const auto& shape) { whole(shape, at, 0, shape.parts()); }, *piece.shape);
    }
  }

  // Copies `row` at the offsets place[first] to place[last - 1]. Tests the length of its runs only once.
  template <typename AnyShape, typename Place>
  void rows(const AnyShape& row, Place place, Address user, std::size_t first, std::size_t last) {
    if constexpr (requires { row.body; }) {
      if (is_run(row.body)) {
        return with_length(row.body.size, [&](auto length) {
          packed_ = copy_rows<direction>(packed_, user, place, first, last, row.place(), row.parts(), length);
        });
      }
    }
    for (std::size_t i = first; i < last; ++i) whole(row, moved(user, place[i]), 0, row.parts());
  }

  Packed<direction> packed_;
};

template <Direction direction>
void copy(const Layout& layout, Address base, std::size_t begin, std::size_t end, Packed<direction> packed) {
  if (begin == end) return;
  const auto& [offset, piece] = layout.elements();
  Walk<direction>(packed).part_of(piece, moved(base, offset), begin, end);
}

} // namespace

std::span<const RunKernels> run_kernels() {
  static const auto supported = [] {
    std::vector<RunKernels> found{
        {"portable", copy_portably<Direction::pack>, copy_portably<Direction::unpack>}};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2")) found.push_back(avx512_runs);
#endif
    return found;
  }();
  return supported;
}

void pack(const Layout& layout, const void* base, std::size_t begin, std::size_t end, void* packed) noexcept {
  if (const auto& by = layout.functions()) [[unlikely]] {
    if (begin != end)
      by->pack(base, static_cast<MPI_Count>(begin), static_cast<MPI_Count>(end - begin), packed, by->data);
    return;
  }
  copy<Direction::pack>(layout, reinterpret_cast<Address>(base), begin, end, static_cast<std::byte*>(packed));
}

void unpack(const Layout& layout, void* base, std::size_t begin, std::size_t end,
            const void* packed) noexcept {
  if (const auto& by = layout.functions()) [[unlikely]] {
    if (begin != end)
      by->unpack(base, static_cast<MPI_Count>(begin), static_cast<MPI_Count>(end - begin), packed, by->data);
    return;
  }
  copy<Direction::unpack>(layout, reinterpret_cast<Address>(base), begin, end,
                          static_cast<const std::byte*>(packed));
}

} // namespace helper::layout
