// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "layout/type.hpp"
#include "support/draw.hpp"
#include "support/mpi_support.hpp"

/// The families of datatypes with which communication is tested.
namespace test_support {

/// `count` elements of a type: the arguments of a buffer in MPI.
struct Elements {
  Type type;
  int count;
};

/// A way to make types. Every family can represent any number of ints, so that the ranks of a communication
/// may use different families.
struct Family {
  const char* name;
  Elements (*make)(Draw& draw, int ints);
};

namespace family {

/// Returns one element: `type` followed by `rest` ints.
inline Elements with_rest(Type type, int rest) {
  if (rest == 0) return {std::move(type), 1};
  const Span span(type, 1);
  // MPICH 4.0.2 divides by zero if a member of a struct is empty.
  if (span.size() == 0) return {Type(PMPI_Type_dup, MPI_INT), rest};
  const std::array<int, 2> lengths{1, rest};
  const std::array<MPI_Aint, 2> places{0, (span.end + 3) / 4 * 4};
  const std::array<MPI_Datatype, 2> types{type, MPI_INT};
  return {Type(PMPI_Type_create_struct, 2, lengths.data(), places.data(), types.data()), 1};
}

/// Returns elements for `ints` ints: `pattern`, of `per` ints, as often as possible, then single ints.
inline Elements repeated(Type pattern, int per, int ints) {
  if (ints % per == 0) return {std::move(pattern), ints / per};
  return with_rest(Type(PMPI_Type_contiguous, ints / per, pattern), ints % per);
}

inline Elements predefined(Draw&, int ints) {
  return {Type::predefined(MPI_INT), ints};
}

inline Elements dense(Draw&, int ints) {
  return {Type(PMPI_Type_dup, MPI_INT), ints};
}

/// Blocks of `block` ints, with gaps between them.
template <int block>
Elements vector(Draw& draw, int ints) {
  const int stride = block + draw.of({1, 2, block});
  return with_rest(Type(PMPI_Type_vector, ints / block, block, stride, MPI_INT), ints % block);
}

inline Elements backwards(Draw& draw, int ints) {
  return {Type(PMPI_Type_vector, ints, 1, -1 - draw.upto(2), MPI_INT), 1};
}

/// Elements of 40 bytes: an int, a gap, and eight more ints.
inline Elements structure(Draw&, int ints) {
  const std::array<int, 2> lengths{1, 8};
  const std::array<MPI_Aint, 2> places{0, 8};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
  return repeated(Type(PMPI_Type_create_struct, 2, lengths.data(), places.data(), types.data()), 9, ints);
}

/// Blocks of 1 to 32 ints, with random gaps.
inline Elements indexed(Draw& draw, int ints) {
  std::vector<int> lengths;
  std::vector<int> places;
  for (int done = 0, at = 0; done < ints; at += lengths.back() + draw.upto(3)) {
    lengths.push_back(std::min(1 + draw.upto(31), ints - done));
    places.push_back(at);
    done += lengths.back();
  }
  return {Type(PMPI_Type_indexed, static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_INT),
          1};
}

/// Single ints at random places, in random order.
inline Elements scattered(Draw& draw, int ints) {
  std::vector<int> places;
  for (int i = 0; i < ints; ++i) places.push_back(2 * i + draw.upto(1));
  draw.shuffle(places);
  return {Type(PMPI_Type_create_indexed_block, ints, 1, places.data(), MPI_INT), 1};
}

/// Blocks of two ints, each before the previous one, at displacements in bytes. Made with large counts if MPI
/// has them.
inline Elements by_bytes(Draw& draw, int ints) {
#if MPI_VERSION >= 4
  using Count = MPI_Count;
  constexpr auto make = PMPI_Type_create_hindexed_c;
#else
  using Count = int;
  constexpr auto make = PMPI_Type_create_hindexed;
#endif
  const auto blocks = static_cast<std::size_t>((ints + 1) / 2);
  std::vector<Count> lengths(blocks, 2);
  if (ints % 2 != 0) lengths.back() = 1;
  std::vector<std::conditional_t<sizeof(Count) == sizeof(int), MPI_Aint, MPI_Count>> places;
  for (std::size_t block = 0, at = 0; block < blocks;
       at += 8 + 4 * static_cast<std::size_t>(draw.upto(2)), ++block)
    places.push_back(-static_cast<MPI_Aint>(at));
  return {Type(make, static_cast<Count>(blocks), lengths.data(), places.data(), MPI_INT), 1};
}

/// Pairs of MPI_2INT, with a gap after each, for an even number of ints. MPICH 4.0.2 takes a pair for a basic
/// element and fails to receive a part of one. It would cut messages within pairs if an odd number of ints
/// preceded them.
inline Elements pairs(Draw& draw, int ints) {
  if (ints % 2 != 0) return dense(draw, ints);
  return {Type(PMPI_Type_create_resized, MPI_2INT, 0, 12), ints / 2};
}

/// Elements that begin before their address, and whose extent ends after their data.
inline Elements resized(Draw& draw, int ints) {
  const Type pair(PMPI_Type_vector, 2, 1, 2, MPI_INT);
  return repeated(Type(PMPI_Type_create_resized, pair, -4, 16 + 4 * draw.upto(2)), 2, ints);
}

/// A face of a cube, across the rows of the cube: single ints in two dimensions.
inline Elements face(Draw& draw, int ints) {
  const int rows = 1 + draw.upto(9);
  if (ints < rows) return dense(draw, ints);
  const Type row(PMPI_Type_vector, ints / rows, 1, 3, MPI_INT);
  const MPI_Aint pitch = 4 * (3 * (ints / rows) + 5);
  return with_rest(Type(PMPI_Type_create_hvector, rows, 1, pitch, row), ints % rows);
}

/// A part of a two-dimensional array. With Open MPI it has at least two columns: with one, MPI_Gather and
/// similar functions of Open MPI lose the end of the calling rank's block. That happens if more than 64 KiB
/// of a block are in several contiguous elements with gaps between them.
inline Elements subarray(Draw& draw, int ints) {
  const int columns = (is_open_mpi() ? 2 : 1) + draw.upto(6);
  if (ints < columns) return dense(draw, ints);
  const std::array<int, 2> part{ints / columns, columns};
  const std::array<int, 2> whole{part[0] + 2, part[1] + 3};
  const std::array<int, 2> start{1, 2};
  const Type type(PMPI_Type_create_subarray, 2, whole.data(), part.data(), start.data(),
                  draw.of({MPI_ORDER_C, MPI_ORDER_FORTRAN}), MPI_INT);
  return with_rest(Type(PMPI_Type_dup, type), ints % columns);
}

/// The part of one process in an array that is distributed cyclically over two processes.
inline Elements darray(Draw& draw, int ints) {
  if (ints == 0) return dense(draw, ints);
  const int all = 2 * ints;
  const int distribution = MPI_DISTRIBUTE_CYCLIC;
  const int argument = MPI_DISTRIBUTE_DFLT_DARG;
  const int processes = 2;
  return {Type(PMPI_Type_create_darray, 2, draw.upto(1), 1, &all, &distribution, &argument, &processes,
               MPI_ORDER_C, MPI_INT),
          1};
}

/// Blocks of four ints, each beginning with the last int of the previous one. The type can only be sent.
inline Elements overlapping(Draw&, int ints) {
  return with_rest(Type(PMPI_Type_vector, ints / 4, 4, 3, MPI_INT), ints % 4);
}

} // namespace family

/// The families that can be used to receive, because their elements do not overlap.
inline const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"predefined", family::predefined}, {"dense", family::dense},
      {"vector of 1", family::vector<1>}, {"vector of 2", family::vector<2>},
      {"vector of 4", family::vector<4>}, {"vector of 16", family::vector<16>},
      {"backwards", family::backwards},   {"structure", family::structure},
      {"indexed", family::indexed},       {"scattered", family::scattered},
      {"by bytes", family::by_bytes},     {"pairs", family::pairs},
      {"resized", family::resized},       {"face", family::face},
      {"subarray", family::subarray},     {"darray", family::darray},
  };
  return all;
}

inline const std::vector<Family>& families_to_send() {
  static const std::vector<Family> all = [] {
    std::vector<Family> some = families();
    some.push_back({"overlapping", family::overlapping});
    return some;
  }();
  return all;
}

/// The predefined pairs of a value and an index that have a gap. MPICH fails to receive a part of a pair, so
/// both ends of a message must use the same type.
inline std::vector<MPI_Datatype> pairs_with_gaps() {
  return {MPI_SHORT_INT, MPI_LONG_INT, MPI_DOUBLE_INT};
}

} // namespace test_support
