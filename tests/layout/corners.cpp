// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests cases that random types seldom or never produce, mostly because MPICH fails on them.

#include "layout/layout.hpp"

#include "layout/type.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using helper::layout::Layout;
using test_support::Type;

// Returns the ints of `count` elements at `base`, packed in pieces of `step` bytes.
std::vector<int> packed_ints(MPI_Datatype type, int count, const int* base, std::size_t step = 3) {
  const auto layout = Layout::of(type);
  const std::size_t size = layout->size() * static_cast<std::size_t>(count);
  std::vector<int> result(size / sizeof(int));
  auto* bytes = reinterpret_cast<std::byte*>(result.data());
  for (std::size_t begin = 0; begin < size; begin += step)
    helper::layout::pack(*layout, base, begin, std::min(begin + step, size), bytes + begin);
  return result;
}

std::array<int, 64> numbers() {
  std::array<int, 64> result;
  std::iota(result.begin(), result.end(), 0);
  return result;
}

Type structure(std::vector<int> lengths, std::vector<MPI_Aint> displacements,
               std::vector<MPI_Datatype> types) {
  return Type(PMPI_Type_create_struct, static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
              types.data());
}

} // namespace

TEST_CASE("Every predefined type has its size and extent") {
  for (const MPI_Datatype type : {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_BYTE,
                                  MPI_WCHAR,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_INT,
                                  MPI_UNSIGNED,
                                  MPI_LONG,
                                  MPI_UNSIGNED_LONG,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_LONG_DOUBLE,
                                  MPI_LONG_LONG,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_PACKED,
                                  MPI_FLOAT_INT,
                                  MPI_DOUBLE_INT,
                                  MPI_LONG_INT,
                                  MPI_SHORT_INT,
                                  MPI_2INT,
                                  MPI_LONG_DOUBLE_INT,
                                  MPI_INT8_T,
                                  MPI_INT16_T,
                                  MPI_INT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT8_T,
                                  MPI_UINT16_T,
                                  MPI_UINT32_T,
                                  MPI_UINT64_T,
                                  MPI_C_BOOL,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT,
                                  MPI_CXX_BOOL,
                                  MPI_CXX_FLOAT_COMPLEX,
                                  MPI_CXX_DOUBLE_COMPLEX,
                                  MPI_CXX_LONG_DOUBLE_COMPLEX,
                                  MPI_CHARACTER,
                                  MPI_LOGICAL,
                                  MPI_INTEGER,
                                  MPI_REAL,
                                  MPI_DOUBLE_PRECISION,
                                  MPI_COMPLEX,
                                  MPI_DOUBLE_COMPLEX,
                                  MPI_2INTEGER,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION}) {
    int size = 0;
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lower, &extent);
    const auto layout = Layout::of(type);
    REQUIRE(layout != nullptr);
    CHECK(layout->size() == static_cast<std::size_t>(size));
    CHECK(layout->contiguous() == (size == extent));
  }
}

TEST_CASE("Pairs with gaps") {
  struct Pair {
    long double value;
    int index;
  };
  const Pair pairs[2] = {{1.5L, 7}, {-2.5L, 8}};
  std::array<std::byte, 40> packed;
  helper::layout::pack(*Layout::of(MPI_LONG_DOUBLE_INT), pairs, 0, packed.size(), packed.data());
  Pair result[2] = {};
  helper::layout::unpack(*Layout::of(MPI_LONG_DOUBLE_INT), result, 0, packed.size(), packed.data());
  for (const int i : {0, 1}) {
    CHECK(result[i].value == pairs[i].value);
    CHECK(result[i].index == pairs[i].index);
  }
}

TEST_CASE("MPI_BOTTOM with absolute addresses") {
  int first = 11;
  auto second = std::make_unique<int>(22);
  std::vector<MPI_Aint> addresses(2);
  PMPI_Get_address(second.get(), &addresses[0]);
  PMPI_Get_address(&first, &addresses[1]);
  const Type type = structure({1, 1}, addresses, {MPI_INT, MPI_INT});
  CHECK(packed_ints(type, 1, static_cast<const int*>(MPI_BOTTOM)) == std::vector{22, 11});
}

TEST_CASE("Negative strides, extents and lower bounds") {
  const auto data = numbers();
  const Type backwards(PMPI_Type_vector, 4, 1, -2, MPI_INT);
  CHECK(packed_ints(backwards, 1, &data[10]) == std::vector{10, 8, 6, 4});
  const Type reversed(PMPI_Type_create_resized, MPI_INT, -8, -4);
  CHECK(packed_ints(reversed, 4, &data[10]) == std::vector{10, 9, 8, 7});
  CHECK_FALSE(Layout::of(reversed)->contiguous());
  const Type before(PMPI_Type_create_hvector, 2, 1, -12, reversed);
  CHECK(packed_ints(before, 1, &data[10]) == std::vector{10, 7});
}

TEST_CASE("A dense type may begin anywhere") {
  const std::vector<int> at = {3, 4};
  const Type type(PMPI_Type_create_indexed_block, 2, 1, at.data(), MPI_INT);
  const auto layout = Layout::of(type);
  CHECK(layout->contiguous());
  CHECK(layout->first_byte() == 12);
}

TEST_CASE("Elements that overlap are packed twice") {
  const auto data = numbers();
  const Type type(PMPI_Type_vector, 3, 3, 1, MPI_INT);
  CHECK(packed_ints(type, 1, data.data()) == std::vector{0, 1, 2, 1, 2, 3, 2, 3, 4});
  const Type still(PMPI_Type_create_resized, MPI_INT, 0, 0);
  CHECK(packed_ints(still, 3, &data[5]) == std::vector{5, 5, 5});
}

TEST_CASE("Empty types and empty blocks") {
  const auto data = numbers();
  const Type empty(PMPI_Type_contiguous, 0, MPI_INT);
  const Type wide(PMPI_Type_create_resized, empty, -4, 40);
  for (const MPI_Datatype type : {MPI_Datatype(empty), MPI_Datatype(wide)}) {
    CHECK(Layout::of(type)->size() == 0);
    helper::layout::pack(*Layout::of(type), nullptr, 0, 0, nullptr);
    helper::layout::unpack(*Layout::of(type), nullptr, 0, 0, nullptr);
  }
  const Type mixed = structure({1, 0, 2, 3}, {40, 1000, 0, 8}, {MPI_INT, MPI_DOUBLE, wide, MPI_INT});
  CHECK(packed_ints(mixed, 1, data.data()) == std::vector{10, 2, 3, 4});
}

TEST_CASE("Subarrays in both orders") {
  const auto data = numbers();
  const std::vector<int> sizes = {4, 5}, subsizes = {2, 3}, starts = {1, 2};
  const Type c(PMPI_Type_create_subarray, 2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C,
               MPI_INT);
  CHECK(packed_ints(c, 1, data.data()) == std::vector{7, 8, 9, 12, 13, 14});
  CHECK(packed_ints(c, 2, data.data()) == std::vector{7, 8, 9, 12, 13, 14, 27, 28, 29, 32, 33, 34});
  const Type fortran(PMPI_Type_create_subarray, 2, sizes.data(), subsizes.data(), starts.data(),
                     MPI_ORDER_FORTRAN, MPI_INT);
  CHECK(packed_ints(fortran, 1, data.data()) == std::vector{9, 10, 13, 14, 17, 18});
}

TEST_CASE("Sizes and strides beyond 32 bits") {
  const auto data = numbers();
  const MPI_Aint far = MPI_Aint{1} << 32;
  const Type type(PMPI_Type_create_hvector, 1 << 10, 1, far, MPI_INT);
  const Type large(PMPI_Type_contiguous, 1 << 20, type);
  CHECK(Layout::of(large)->size() == std::size_t{1} << 32);
  // The fourth element is 3 * 2^32 bytes after `base`. It is at &data[9].
  int value = 0;
  const auto base = reinterpret_cast<std::uintptr_t>(&data[9]) - 3 * static_cast<std::uintptr_t>(far);
  helper::layout::pack(*Layout::of(large), reinterpret_cast<const void*>(base), 12, 16, &value);
  CHECK(value == 9);
}

TEST_CASE("A layout is decoded once, and dropped with its type") {
  CHECK(Layout::of(MPI_DOUBLE) == Layout::of(MPI_DOUBLE));
  std::weak_ptr<const Layout> seen;
  {
    const Type type(PMPI_Type_vector, 3, 1, 2, MPI_INT);
    const Type duplicate(PMPI_Type_dup, type);
    seen = Layout::of(type);
    CHECK(seen.lock() == Layout::of(type));
    CHECK(Layout::of(duplicate) != Layout::of(type));
    const auto of_type = Layout::of(type);
    CHECK(Layout::of(duplicate)->elements() == of_type->elements()); // the thread now keeps this layout only
  }
  CHECK(seen.expired());
}

TEST_CASE("A layout outlives its type where it is in use") {
  const auto data = numbers();
  std::shared_ptr<const Layout> layout;
  {
    const Type type(PMPI_Type_vector, 2, 1, 2, MPI_INT);
    layout = Layout::of(type);
  }
  std::array<int, 2> result;
  helper::layout::pack(*layout, &data[1], 0, sizeof(result), result.data());
  CHECK(result == std::array{1, 3});
}

TEST_CASE("Distributed arrays") {
  const auto data = numbers();
  const auto part = [&](int rank, std::vector<int> sizes, std::vector<int> distributions,
                        std::vector<int> lengths, std::vector<int> grid, int order) {
    const int processes = std::accumulate(grid.begin(), grid.end(), 1, std::multiplies());
    const Type type(PMPI_Type_create_darray, processes, rank, static_cast<int>(sizes.size()), sizes.data(),
                    distributions.data(), lengths.data(), grid.data(), order, MPI_INT);
    return packed_ints(type, 1, data.data());
  };
  constexpr int none = MPI_DISTRIBUTE_NONE, block = MPI_DISTRIBUTE_BLOCK, cyclic = MPI_DISTRIBUTE_CYCLIC,
                by_default = MPI_DISTRIBUTE_DFLT_DARG, c = MPI_ORDER_C, fortran = MPI_ORDER_FORTRAN;
  CHECK(part(1, {7}, {block}, {by_default}, {2}, c) == std::vector{4, 5, 6});
  CHECK(part(1, {7}, {cyclic}, {by_default}, {2}, c) == std::vector{1, 3, 5});
  CHECK(part(1, {9}, {cyclic}, {2}, {3}, c) == std::vector{2, 3, 8});
  // MPICH cannot pack a single incomplete block, or nothing at all.
  CHECK(part(2, {5}, {cyclic}, {2}, {3}, c) == std::vector{4});
  CHECK(part(2, {4}, {block}, {2}, {3}, c).empty());
  // Process 1 of a grid of 2 x 2 has the second columns, in both orders of the array.
  CHECK(part(1, {4, 3}, {block, cyclic}, {2, 1}, {2, 2}, c) == std::vector{1, 4});
  CHECK(part(1, {3, 4}, {cyclic, block}, {1, 2}, {2, 2}, fortran) == std::vector{6, 8, 9, 11});
  CHECK(part(1, {2, 3, 2}, {none, cyclic, block}, {by_default, 1, 1}, {1, 2, 2}, c) ==
        std::vector{1, 5, 7, 11});
}

TEST_CASE("Parametrised types of Fortran") {
  MPI_Datatype real = MPI_DATATYPE_NULL;
  PMPI_Type_create_f90_real(6, 30, &real);
  CHECK(Layout::of(real)->size() == sizeof(float));
  const auto data = numbers();
  CHECK(packed_ints(Type(PMPI_Type_vector, 2, 1, 3, real), 1, data.data()) == std::vector{0, 3});
}

TEST_CASE("MPI_DATATYPE_NULL has no layout") {
  CHECK(Layout::of(MPI_DATATYPE_NULL) == nullptr);
}

TEST_CASE("The head of a layout ends where a basic element does") {
  CHECK(Layout::of(MPI_BYTE)->head() == 64);
  CHECK(Layout::of(MPI_DOUBLE_INT)->head() == 6 * 12);
  CHECK(Layout::of(MPI_LONG_DOUBLE)->head() == 0);
  CHECK(Layout::of(Type(PMPI_Type_contiguous, 4, MPI_DOUBLE_INT))->head() == 6 * 12);
  CHECK(Layout::of(Type(PMPI_Type_create_resized, MPI_LONG_DOUBLE, 0, 32))->head() == 0);
  const auto head = [](int ints, int pairs, int long_doubles) {
    return Layout::of(structure({ints, pairs, long_doubles}, {0, 64, 256},
                                {MPI_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE}))
        ->head();
  };
  CHECK(head(7, 3, 1) == 7 * 4 + 3 * 12);
  CHECK(head(1, 7, 1) == 4 + 5 * 12);
  CHECK(head(1, 1, 1) == 0);
  CHECK(head(1, 1, 0) == 4 * (4 + 12));
}

TEST_CASE("Threads pack and unpack disjoint ranges at once") {
  constexpr int count = 1 << 15;
  const Type type(PMPI_Type_vector, count, 1, 2, MPI_INT);
  const auto layout = Layout::of(type);
  std::vector<int> source(2 * count), packed(count), result(2 * count);
  std::iota(source.begin(), source.end(), 0);
  const auto in_threads = [&](auto act) {
    std::vector<std::jthread> threads;
    const std::size_t cuts[] = {0, 12345, 50001, 77777, layout->size()};
    for (std::size_t i = 0; i < 4; ++i) threads.emplace_back([=] { act(cuts[i], cuts[i + 1]); });
  };
  auto* bytes = reinterpret_cast<std::byte*>(packed.data());
  in_threads([&](std::size_t begin, std::size_t end) {
    helper::layout::pack(*layout, source.data(), begin, end, bytes + begin);
  });
  in_threads([&](std::size_t begin, std::size_t end) {
    helper::layout::unpack(*layout, result.data(), begin, end, bytes + begin);
  });
  for (std::size_t i = 1; i < source.size(); i += 2) source[i] = 0;
  CHECK((result == source));
}

TEST_CASE("A layout goes with the program's type, though MPI still uses that") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_vector(2, 1, 3, MPI_INT, &type);
  PMPI_Type_commit(&type);
  std::array<int, 4> data{};
  MPI_Request pending = MPI_REQUEST_NULL;
  PMPI_Irecv(data.data(), 1, type, 0, 0, MPI_COMM_SELF, &pending);
  const std::weak_ptr<const Layout> layout = Layout::of(type);
  helper::layout::free_type(&type);
  static_cast<void>(Layout::of(MPI_INT)); // now the thread keeps this layout only
  CHECK(layout.expired());
  const std::array ints{7, 8};
  PMPI_Send(ints.data(), 2, MPI_INT, 0, 0, MPI_COMM_SELF);
  PMPI_Wait(&pending, MPI_STATUS_IGNORE);
  CHECK((data == std::array{7, 0, 0, 8}));
}
