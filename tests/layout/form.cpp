// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Equal layouts have equal forms, however the types were constructed. So they run the same code.

#include "layout/layout.hpp"

#include "layout/type.hpp"
#include "support/catch.hpp"

namespace {

using namespace helper::layout;
using test_support::Type;

Placed elements(const Type& type) {
  return Layout::of(type)->elements();
}

template <typename Shape>
const Shape* element(const Type& type) {
  const auto* stream = std::get_if<Loop>(elements(type).piece.shape.get());
  return stream && stream->body.shape ? std::get_if<Shape>(stream->body.shape.get()) : nullptr;
}

} // namespace

TEST_CASE("A regular layout is one loop, however it was built") {
  const Type vector(PMPI_Type_vector, 12, 1, 2, MPI_DOUBLE);
  REQUIRE(element<Loop>(vector) != nullptr);
  CHECK(*element<Loop>(vector) == Loop{12, 16, run(8).piece});

  std::vector<int> at;
  std::vector<MPI_Aint> bytes;
  for (int i = 0; i < 12; ++i) {
    at.push_back(2 * i);
    bytes.push_back(16 * i);
  }
  const std::vector<int> ones(12, 1);
  const std::vector<MPI_Datatype> types(12, MPI_DOUBLE);
  CHECK(elements(Type(PMPI_Type_create_indexed_block, 12, 1, at.data(), MPI_DOUBLE)) == elements(vector));
  CHECK(elements(Type(PMPI_Type_indexed, 12, ones.data(), at.data(), MPI_DOUBLE)) == elements(vector));
  CHECK(elements(Type(PMPI_Type_create_struct, 12, ones.data(), bytes.data(), types.data())) ==
        elements(vector));
  const Type part(PMPI_Type_vector, 4, 1, 2, MPI_DOUBLE);
  CHECK(elements(Type(PMPI_Type_create_hvector, 3, 1, 64, part)) == elements(vector));
  const Type ints(PMPI_Type_contiguous, 2, MPI_INT);
  CHECK(elements(Type(PMPI_Type_vector, 12, 1, 2, ints)) == elements(vector));
}

TEST_CASE("Dense dimensions are one run") {
  const std::vector<int> sizes = {4, 5, 6}, subsizes = {4, 2, 6}, starts = {0, 1, 0};
  const Type planes(PMPI_Type_create_subarray, 3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C,
                    MPI_INT);
  CHECK(elements(planes).offset == 24);
  // All planes are 120 bytes apart, even across adjacent elements. So they form one loop.
  const auto* loop = std::get_if<Loop>(elements(planes).piece.shape.get());
  REQUIRE(loop != nullptr);
  CHECK(loop->stride == 120);
  CHECK(loop->body == run(48).piece);

  const Type rows(PMPI_Type_vector, 5, 3, 3, MPI_DOUBLE);
  CHECK(Layout::of(rows)->contiguous());
}

TEST_CASE("Rows of columns are nested loops, however they were built") {
  const Type row(PMPI_Type_vector, 3, 1, 2, MPI_INT);
  const Type grid(PMPI_Type_create_hvector, 4, 1, 100, row);
  std::vector<MPI_Aint> at;
  for (int i = 0; i < 12; ++i) at.push_back(100 * (i / 3) + 8 * (i % 3));
  CHECK(elements(Type(PMPI_Type_create_hindexed_block, 12, 1, at.data(), MPI_INT)) == elements(grid));
}

TEST_CASE("Irregular runs are joined where adjacent, and equal ones are a scatter") {
  const std::vector<int> at = {0, 1, 5, 6, 20, 21}, joined_at = {0, 5, 20};
  const Type joined(PMPI_Type_create_indexed_block, 3, 2, joined_at.data(), MPI_DOUBLE);
  CHECK(elements(Type(PMPI_Type_create_indexed_block, 6, 1, at.data(), MPI_DOUBLE)) == elements(joined));
  REQUIRE(element<Scatter>(joined) != nullptr);
  CHECK(*element<Scatter>(joined) == Scatter{{0, 40, 160}, run(16).piece});
}

TEST_CASE("Short runs of different lengths are cut to equal ones, long ones are not") {
  const std::vector<int> at = {0, 4, 9}, short_lengths = {1, 2, 3}, long_lengths = {101, 300, 500};
  const Type cut(PMPI_Type_indexed, 3, short_lengths.data(), at.data(), MPI_INT);
  REQUIRE(element<Scatter>(cut) != nullptr);
  CHECK(*element<Scatter>(cut) == Scatter{{0, 16, 20, 36, 40, 44}, run(4).piece});
  const std::vector<int> far = {0, 1000, 3000};
  const Type uncut(PMPI_Type_indexed, 3, long_lengths.data(), far.data(), MPI_CHAR);
  REQUIRE(element<Runs>(uncut) != nullptr);
  CHECK(*element<Runs>(uncut) == Runs{{0, 101, 401, 901}, {0, 1000, 3000}});
}

TEST_CASE("A pattern that repeats is a loop, however it was built") {
  const std::vector<int> lengths = {1, 20, 1}, at = {0, 10, 40};
  const Type pattern(PMPI_Type_indexed, 3, lengths.data(), at.data(), MPI_DOUBLE);
  const Type repeated(PMPI_Type_create_hvector, 5, 1, 400, pattern);
  std::vector<int> all_lengths;
  std::vector<MPI_Aint> all_at;
  for (int i = 0; i < 15; ++i) {
    all_lengths.push_back(lengths[static_cast<std::size_t>(i % 3)]);
    all_at.push_back(400 * (i / 3) + 8 * at[static_cast<std::size_t>(i % 3)]);
  }
  const Type indexed(PMPI_Type_create_hindexed, 15, all_lengths.data(), all_at.data(), MPI_DOUBLE);
  CHECK(elements(indexed) == elements(repeated));
  const std::vector<MPI_Datatype> types(15, MPI_DOUBLE);
  CHECK(elements(Type(PMPI_Type_create_struct, 15, all_lengths.data(), all_at.data(), types.data())) ==
        elements(repeated));
  const auto* loop = element<Loop>(indexed);
  REQUIRE(loop != nullptr);
  CHECK(loop->count == 5);
  CHECK(loop->stride == 400);
  // With one more run the pattern does not repeat.
  all_lengths.push_back(1);
  all_at.push_back(2000);
  const Type more(PMPI_Type_create_hindexed, 16, all_lengths.data(), all_at.data(), MPI_DOUBLE);
  CHECK(element<Loop>(more) == nullptr);
}

TEST_CASE("Three dimensions are three loops, however they were built") {
  const Type row(PMPI_Type_vector, 3, 1, 2, MPI_INT);
  const Type plane(PMPI_Type_create_hvector, 4, 1, 100, row);
  const Type block(PMPI_Type_create_hvector, 2, 1, 1000, plane);
  std::vector<MPI_Aint> at;
  for (int i = 0; i < 24; ++i) at.push_back(1000 * (i / 12) + 100 * (i / 3 % 4) + 8 * (i % 3));
  CHECK(elements(Type(PMPI_Type_create_hindexed_block, 24, 1, at.data(), MPI_INT)) == elements(block));
}

TEST_CASE("A block of an array has one form, whether a subarray, part of a distributed array, or vectors") {
  const std::vector<int> sizes = {8, 6}, half = {4, 3}, starts = {4, 3}, processes = {2, 2};
  const std::vector<int> distributions(2, MPI_DISTRIBUTE_BLOCK), lengths(2, MPI_DISTRIBUTE_DFLT_DARG);
  const Type subarray(PMPI_Type_create_subarray, 2, sizes.data(), half.data(), starts.data(), MPI_ORDER_C,
                      MPI_DOUBLE);
  const Type distributed(PMPI_Type_create_darray, 4, 3, 2, sizes.data(), distributions.data(), lengths.data(),
                         processes.data(), MPI_ORDER_C, MPI_DOUBLE);
  CHECK(elements(distributed) == elements(subarray));
  const Type rows(PMPI_Type_vector, 4, 3, 6, MPI_DOUBLE);
  const int one = 1;
  const MPI_Aint first = (4 * 6 + 3) * 8;
  const Type shifted(PMPI_Type_create_hindexed, 1, &one, &first, rows);
  const Type resized(PMPI_Type_create_resized, shifted, 0, 8 * 6 * 8);
  CHECK(elements(resized) == elements(subarray));
}

TEST_CASE("Equal distances are a loop in whatever direction, and rows that continue one another are one") {
  const Type backwards(PMPI_Type_create_hvector, 12, 1, -16, MPI_DOUBLE);
  std::vector<MPI_Aint> at;
  for (int i = 0; i < 12; ++i) at.push_back(-16 * i);
  CHECK(elements(Type(PMPI_Type_create_hindexed_block, 12, 1, at.data(), MPI_DOUBLE)) == elements(backwards));
  const Type pair(PMPI_Type_create_hvector, 2, 1, -16, MPI_DOUBLE);
  const Type pairs(PMPI_Type_create_hvector, 3, 1, -32, pair);
  const Type four(PMPI_Type_create_hvector, 2, 1, -96, pairs);
  CHECK(elements(Type(PMPI_Type_create_resized, four, -176, 184)) ==
        elements(Type(PMPI_Type_create_resized, backwards, -176, 184)));
}
