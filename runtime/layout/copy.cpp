// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace helper::layout {
namespace {

enum class Direction { pack, unpack };

// An integer because buffers may be MPI_BOTTOM, from where pointer arithmetic is not defined.
using Address = std::uintptr_t;

Address moved(Address address, std::ptrdiff_t distance) {
  return address + static_cast<Address>(distance);
}

// A walk over a range of the packed stream, which moves the packed bytes along as it goes.
template <Direction direction>
class Copy {
public:
  using Packed = std::conditional_t<direction == Direction::pack, std::byte*, const std::byte*>;

  explicit Copy(Packed packed) : packed_(packed) {}

  // Copies bytes [begin, end) of the packed stream of `piece`, which lies at `user`.
  void part_of(const Piece& piece, Address user, std::size_t begin, std::size_t end) {
    if (piece.shape == nullptr)
      run(user + begin, end - begin);
    else
      std::visit([&](const auto& shape) { part_of(shape, user, begin, end); }, *piece.shape);
  }

private:
  template <typename Equals> // Loop or Scatter
  void part_of(const Equals& equals, Address user, std::size_t begin, std::size_t end) {
    const auto place = equals.place();
    const Piece& body = equals.body;
    std::size_t first = begin / body.size;
    const std::size_t last = end / body.size;
    const std::size_t skipped = begin % body.size;
    const std::size_t rest = end % body.size;
    if (first == last) return part_of(body, moved(user, place(first)), skipped, rest);
    if (skipped != 0) part_of(body, moved(user, place(first++)), skipped, body.size);
    all_of(body, place, user, first, last);
    if (rest != 0) part_of(body, moved(user, place(last)), 0, rest);
  }

  void part_of(const Sequence& sequence, Address user, std::size_t begin, std::size_t end) {
    const auto& begins = sequence.begins;
    auto i =
        static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin()) - 1;
    for (; begin < end; ++i) {
      const auto& [offset, piece] = sequence.parts[i];
      const std::size_t part_end = std::min(end, begins[i] + piece.size);
      part_of(piece, moved(user, offset), begin - begins[i], part_end - begins[i]);
      begin = part_end;
    }
  }

  // The same for whole pieces, without the divisions and searches.
  void all_of(const Piece& piece, Address user) {
    if (piece.shape == nullptr)
      run(user, piece.size);
    else
      std::visit([&](const auto& shape) { all_of(shape, user); }, *piece.shape);
  }

  template <typename Equals>
  void all_of(const Equals& equals, Address user) {
    all_of(equals.body, equals.place(), user, 0, equals.parts());
  }

  void all_of(const Sequence& sequence, Address user) {
    for (const auto& [offset, piece] : sequence.parts) all_of(piece, moved(user, offset));
  }

  template <typename Place>
  void all_of(const Piece& body, Place place, Address user, std::size_t first, std::size_t last) {
    if (body.shape == nullptr)
      runs(body.size, place, user, first, last);
    else
      for (std::size_t i = first; i < last; ++i) all_of(body, moved(user, place(i)));
  }

  // Copies equal runs. Short lengths are constants to the compiler.
  template <typename Place>
  void runs(std::size_t size, Place place, Address user, std::size_t first, std::size_t last) {
    const auto copy = [&](auto bytes) {
      // A copy whose address nothing else has stays in registers. Rolled, the loop takes two cycles a run,
      // not one.
      Copy local(packed_);
#pragma GCC unroll 8
      for (std::size_t i = first; i < last; ++i) local.run(moved(user, place(i)), bytes);
      packed_ = local.packed_;
    };
    switch (size) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    case 12:
      return copy(std::integral_constant<std::size_t, 12>{});
    case 16:
      return copy(std::integral_constant<std::size_t, 16>{});
    case 24:
      return copy(std::integral_constant<std::size_t, 24>{});
    case 32:
      return copy(std::integral_constant<std::size_t, 32>{});
    case 48:
      return copy(std::integral_constant<std::size_t, 48>{});
    case 64:
      return copy(std::integral_constant<std::size_t, 64>{});
    default:
      return copy(size);
    }
  }

  template <typename Bytes>
  void run(Address user, Bytes bytes) {
    if constexpr (direction == Direction::pack)
      std::memcpy(packed_, reinterpret_cast<const void*>(user), bytes);
    else
      std::memcpy(reinterpret_cast<void*>(user), packed_, bytes);
    packed_ += bytes;
  }

  Packed packed_;
};

} // namespace

void pack(const Layout& layout, const void* base, std::size_t begin, std::size_t end, void* packed) noexcept {
  if (begin == end) return;
  const auto& [offset, piece] = layout.elements();
  Copy<Direction::pack> copy(static_cast<std::byte*>(packed));
  copy.part_of(piece, moved(reinterpret_cast<Address>(base), offset), begin, end);
}

void unpack(const Layout& layout, void* base, std::size_t begin, std::size_t end,
            const void* packed) noexcept {
  if (begin == end) return;
  const auto& [offset, piece] = layout.elements();
  Copy<Direction::unpack> copy(static_cast<const std::byte*>(packed));
  copy.part_of(piece, moved(reinterpret_cast<Address>(base), offset), begin, end);
}

} // namespace helper::layout
