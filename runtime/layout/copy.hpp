// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "layout/copy_bytes.hpp"
#include "layout/form.hpp"

// Functions that copy runs between their places in memory and the packed stream, in either direction.
namespace helper::layout {

/// An integer, because buffers may start at MPI_BOTTOM, where pointer arithmetic is undefined.
using Address = std::uintptr_t;

inline Address moved(Address address, std::ptrdiff_t distance) {
  return address + static_cast<Address>(distance);
}

/// Functions that copy runs of different lengths. Run i has begins[i + 1] - begins[i] bytes and is at
/// user + offsets[i] in the user's memory. At `packed` the runs are adjacent.
struct RunKernels {
  const char* name;
  void (*pack)(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
               std::byte* packed) noexcept;
  void (*unpack)(std::span<const std::ptrdiff_t> offsets, const std::size_t* begins, Address user,
                 const std::byte* packed) noexcept;
};

/// Returns the kernels that this processor can run, slowest first.
std::span<const RunKernels> run_kernels();

extern const RunKernels avx512_runs;

enum class Direction { pack, unpack };

template <Direction direction>
using Packed = std::conditional_t<direction == Direction::pack, std::byte*, const std::byte*>;

/// A length that is a constant to the compiler.
template <std::size_t bytes>
using Exactly = std::integral_constant<std::size_t, bytes>;

/// A length of `half` to 2 * half bytes. Two copies of `half` bytes, which may overlap, need no branch.
template <std::size_t half>
struct Ends {
  std::size_t size;
};

/// Calls `act` with `size` in the form that is copied fastest: Exactly, Ends, or a plain number.
template <typename Act>
auto with_length(std::size_t size, Act act) {
  switch (size) {
  case 1:
    return act(Exactly<1>{});
  case 2:
    return act(Exactly<2>{});
  case 4:
    return act(Exactly<4>{});
  case 8:
    return act(Exactly<8>{});
  case 16:
    return act(Exactly<16>{});
  case 32:
    return act(Exactly<32>{});
  case 64:
    return act(Exactly<64>{});
  case 128:
    return act(Exactly<128>{});
  }
  if (size > 128) return act(size);
  if (size > 64) return act(Ends<64>{size});
  if (size > 32) return act(Ends<32>{size});
  if (size > 16) return act(Ends<16>{size});
  if (size > 8) return act(Ends<8>{size});
  if (size > 4) return act(Ends<4>{size});
  return act(Ends<2>{size});
}

/// Copies one run and returns the end of the run in the packed stream.
template <Direction direction>
Packed<direction> copy_run(Packed<direction> packed, Address user, std::size_t bytes) {
  if constexpr (direction == Direction::pack)
    copy_bytes(packed, reinterpret_cast<const std::byte*>(user), bytes);
  else
    copy_bytes(reinterpret_cast<std::byte*>(user), packed, bytes);
  return packed + bytes;
}

template <Direction direction, std::size_t bytes>
Packed<direction> copy_run(Packed<direction> packed, Address user, Exactly<bytes> /*size*/) {
  if constexpr (direction == Direction::pack)
    std::memcpy(packed, reinterpret_cast<const void*>(user), bytes);
  else
    std::memcpy(reinterpret_cast<void*>(user), packed, bytes);
  return packed + bytes;
}

template <Direction direction, std::size_t half>
Packed<direction> copy_run(Packed<direction> packed, Address user, Ends<half> ends) {
  const std::size_t second = ends.size - half;
  copy_run<direction>(packed, user, Exactly<half>{});
  return copy_run<direction>(packed + second, user + second, Exactly<half>{});
}

/// Returns how many bytes ahead to prefetch when runs of this length are unpacked `stride` bytes apart; 0 if
/// prefetching gains nothing. Stores of short runs wait for cache lines. Doubles at a stride of 2 gain most.
template <class Length>
constexpr std::ptrdiff_t asked_for_before(Length /*length*/, std::ptrdiff_t /*stride*/) noexcept {
  return 0;
}
template <std::size_t bytes>
constexpr std::ptrdiff_t asked_for_before(Exactly<bytes> /*length*/, std::ptrdiff_t stride) noexcept {
  constexpr std::ptrdiff_t line = 64, before = 16 * line;
  if (bytes > 8 || stride < -line || stride > line) return 0;
  return stride < 0 ? -before : before;
}

/// Copies runs [first, last) at the offsets `place`. Two independent addresses let a core copy more than one
/// run per cycle. Always inline, because rows may be short.
template <Direction direction, typename Length>
[[gnu::always_inline]] inline Packed<direction> copy_runs(Packed<direction> packed, Address user,
                                                          Stride place, std::size_t first, std::size_t last,
                                                          Length length) {
  const std::size_t count = last - first;
  Address pair = moved(user, place[first]);
  Address other = moved(pair, place[2]);
  const std::ptrdiff_t ahead = direction == Direction::unpack ? asked_for_before(length, place[1]) : 0;
  const auto copy_pair = [&](Address at) {
    packed = copy_run<direction>(packed, at, length);
    packed = copy_run<direction>(packed, moved(at, place[1]), length);
  };
  for (std::size_t left = count / 4; left != 0; --left) {
    if (ahead != 0) __builtin_prefetch(reinterpret_cast<const void*>(moved(pair, ahead)), 1);
    copy_pair(pair);
    copy_pair(other);
    pair = moved(pair, place[4]);
    other = moved(other, place[4]);
  }
  if ((count & 2) != 0) {
    copy_pair(pair);
    pair = other;
  }
  return (count & 1) != 0 ? copy_run<direction>(packed, pair, length) : packed;
}

template <Direction direction, typename Length>
[[gnu::always_inline]] inline Packed<direction> copy_runs(Packed<direction> packed, Address user,
                                                          const std::ptrdiff_t* place, std::size_t first,
                                                          std::size_t last, Length length) {
#pragma GCC unroll 4
  for (std::size_t i = first; i < last; ++i)
    packed = copy_run<direction>(packed, moved(user, place[i]), length);
  return packed;
}

/// Copies rows [first, last), which are at the offsets `outer`. Each row has `runs` equal runs at the offsets
/// `place`. All arguments are values: a compiler must assume that copies change what a reference refers to.
template <Direction direction, typename OuterPlace, typename Place, typename Length>
Packed<direction> copy_rows(Packed<direction> packed, Address user, OuterPlace outer, std::size_t first,
                            std::size_t last, Place place, std::size_t runs, Length length) {
  for (std::size_t i = first; i < last; ++i)
    packed = copy_runs<direction>(packed, moved(user, outer[i]), place, 0, runs, length);
  return packed;
}

} // namespace helper::layout
