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
  void part_of(const Loop& loop, Address user, std::size_t begin, std::size_t end) {
    part_of_equals(loop, user, begin, end);
  }

  void part_of(const Scatter& scatter, Address user, std::size_t begin, std::size_t end) {
    part_of_equals(scatter, user, begin, end);
  }

  template <typename Equals>
  void part_of_equals(const Equals& equals, Address user, std::size_t begin, std::size_t end) {
    const Piece& body = equals.body;
    const auto copy = [&](std::size_t i, std::size_t from, std::size_t to) {
      part_of(body, moved(user, equals.offset(i)), from, to);
    };
    std::size_t first = begin / body.size;
    const std::size_t last = end / body.size;
    const std::size_t skipped = begin % body.size;
    const std::size_t rest = end % body.size;
    if (first == last) return copy(first, skipped, rest);
    if (skipped != 0) copy(first++, skipped, body.size);
    if (body.shape == nullptr)
      runs(equals, user, first, last);
    else
      for (std::size_t i = first; i < last; ++i) copy(i, 0, body.size);
    if (rest != 0) copy(last, 0, rest);
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

  // Copies the parts [first, last) of equal runs. The usual lengths are constants to the compiler.
  template <typename Equals>
  void runs(const Equals& equals, Address user, std::size_t first, std::size_t last) {
    const auto copy = [&](auto bytes) {
      for (std::size_t i = first; i < last; ++i) run(moved(user, equals.offset(i)), bytes);
    };
    switch (equals.body.size) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    case 16:
      return copy(std::integral_constant<std::size_t, 16>{});
    case 32:
      return copy(std::integral_constant<std::size_t, 32>{});
    case 64:
      return copy(std::integral_constant<std::size_t, 64>{});
    default:
      return copy(equals.body.size);
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
