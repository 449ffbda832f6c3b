// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

/// The datatypes that benchmarks measure. This header uses only functions that every MPI has.
namespace bench {

/// A number of elements of a committed datatype, which is freed with the object.
class Elements {
public:
  Elements(MPI_Datatype uncommitted, int count) : type_(uncommitted), count_(count) {
    MPI_Type_commit(&type_);
  }
  Elements(Elements&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)), count_(other.count_) {}
  Elements& operator=(Elements&&) = delete;
  ~Elements() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  MPI_Datatype type() const { return type_; }
  int count() const { return count_; }

  std::size_t packed_bytes() const {
    int bytes;
    MPI_Type_size(type_, &bytes);
    return static_cast<std::size_t>(bytes) * static_cast<std::size_t>(count_);
  }

  /// Returns the size of a buffer for the elements. No type here has bytes before the buffer's address.
  std::size_t buffer_bytes() const {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type_, &lower, &extent);
    MPI_Type_get_true_extent(type_, &true_lower, &true_extent);
    return static_cast<std::size_t>((count_ - 1) * extent + true_lower + true_extent);
  }

private:
  MPI_Datatype type_;
  int count_;
};

/// A kind of datatype. `make` returns elements of `bytes` packed bytes, rounded down to whole elements.
struct TypeFamily {
  const char* name;
  Elements (*make)(std::size_t bytes);
};

namespace types {

inline Elements contiguous(std::size_t bytes) {
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_DOUBLE, &type);
  return {type, static_cast<int>(bytes / sizeof(double))};
}

template <int length>
Elements vector(std::size_t bytes) {
  MPI_Datatype type;
  MPI_Type_vector(static_cast<int>(bytes / (length * sizeof(double))), length, 2 * length, MPI_DOUBLE, &type);
  return {type, 1};
}

inline Elements single_ints(std::size_t bytes) {
  MPI_Datatype type;
  MPI_Type_vector(static_cast<int>(bytes / sizeof(int)), 1, 2, MPI_INT, &type);
  return {type, 1};
}

/// Rows of four single doubles. The distance between rows is not the distance between doubles.
inline Elements short_rows(std::size_t bytes) {
  constexpr MPI_Aint distance = 10 * sizeof(double);
  MPI_Datatype row, type;
  MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &row);
  MPI_Type_create_hvector(static_cast<int>(bytes / (4 * sizeof(double))), 1, distance, row, &type);
  MPI_Type_free(&row);
  return {type, 1};
}

inline Elements random_blocks(std::size_t bytes) {
  std::mt19937 random(1);
  std::uniform_int_distribution number(1, 16);
  std::vector<int> lengths, displacements;
  auto left = static_cast<int>(bytes / sizeof(double));
  for (int at = 0; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(number(random), left));
    displacements.push_back(at);
    at += lengths.back() + number(random);
  }
  MPI_Datatype type;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(), MPI_DOUBLE, &type);
  return {type, 1};
}

/// An array of struct { double a[4]; int b; }: 36 bytes of data out of 40.
inline Elements structs(std::size_t bytes) {
  constexpr std::array lengths{4, 1};
  constexpr std::array<MPI_Aint, 2> displacements{0, 32};
  const std::array types{MPI_DOUBLE, MPI_INT};
  MPI_Datatype packed, type;
  MPI_Type_create_struct(2, lengths.data(), displacements.data(), types.data(), &packed);
  MPI_Type_create_resized(packed, 0, 40, &type);
  MPI_Type_free(&packed);
  return {type, static_cast<int>(bytes / 36)};
}

/// The inner layer next to one face of a cube of 64³ doubles with a halo of one, in as many cubes as `bytes`
/// needs. The elements of `dimension` 2 are adjacent.
template <std::size_t dimension>
Elements face(std::size_t bytes) {
  constexpr int side = 64, with_halo = side + 2;
  std::array sizes{with_halo, with_halo, with_halo}, subsizes{side, side, side}, starts{1, 1, 1};
  subsizes[dimension] = 1;
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
  return {type, static_cast<int>(bytes / (side * side * sizeof(double)))};
}

} // namespace types

/// All families accept `bytes` of at least 32 KiB. Faces of 16 MiB need a buffer of 1.1 GiB.
inline std::span<const TypeFamily> type_families() {
  static constexpr TypeFamily families[] = {
      {"contiguous", types::contiguous}, {"vector-1", types::vector<1>},   {"vector-2", types::vector<2>},
      {"vector-8", types::vector<8>},    {"vector-64", types::vector<64>}, {"ints", types::single_ints},
      {"rows-4x1", types::short_rows},   {"random", types::random_blocks}, {"struct", types::structs},
      {"x-face", types::face<2>},        {"y-face", types::face<1>},       {"z-face", types::face<0>},
  };
  return families;
}

inline const TypeFamily& type_named(std::string_view name) {
  return *std::ranges::find(type_families(), name, &TypeFamily::name);
}

} // namespace bench
