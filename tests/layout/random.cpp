// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Random types against MPI's own pack and unpack, whole and in random pieces.

#include "layout/layout.hpp"

#include "layout/type.hpp"
#include "support/mpi_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <random>
#include <string>

namespace {

using helper::layout::Layout;
using test_support::Span;
using test_support::Type;

// A type and how it was built.
struct Built {
  std::shared_ptr<const Type> owner; // null if predefined
  MPI_Datatype type;
  std::string text;

  MPI_Aint extent() const {
    MPI_Aint lower = 0, result = 0;
    PMPI_Type_get_extent(type, &lower, &result);
    return result;
  }
};

class Builder {
public:
  explicit Builder(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  int between(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool one_in(int n) { return between(1, n) == 1; }

  std::vector<std::byte> bytes(std::size_t n) {
    std::vector<std::byte> result(n);
    for (std::byte& byte : result) byte = static_cast<std::byte>(random_());
    return result;
  }

  // A type of moderate size. It is not empty, because MPICH 4.0.2 divides by zero where a piece of a type is
  // an empty derived type; nor does its extent shrink to below 0, which MPICH does not cope with either.
  Built type(int depth) {
    for (;;) {
      Built result = any_type(depth);
      int size = 0;
      PMPI_Type_size(result.type, &size);
      if (size != 0 && Span(result.type, 1).size() < 1 << 13) return result;
    }
  }

private:
  Built any_type(int depth) {
    if (depth == 0 || one_in(8)) return predefined();
    switch (between(0, 11)) {
    case 0:
      return duplicate(type(depth - 1));
    case 1:
      return contiguous(type(depth - 1));
    case 2:
    case 3:
      return vector(type(depth - 1));
    case 4:
    case 5:
      return indexed(type(depth - 1));
    case 6:
    case 7:
      return indexed_block(type(depth - 1));
    case 8:
      return resized(type(depth - 1));
    case 9:
      return subarray(type(depth - 1));
    default:
      return structure(depth - 1);
    }
  }

  template <typename... Arguments>
  Built built(std::string text, Arguments... arguments) {
    auto owner = std::make_shared<const Type>(arguments...);
    const MPI_Datatype type = *owner;
    return {std::move(owner), type, std::move(text)};
  }

  // No long double: MPICH copies its ten bytes of value and, unless it copies it as part of a run, not its
  // padding.
  Built predefined() {
    static const std::vector<std::pair<MPI_Datatype, const char*>> types = {
        {MPI_CHAR, "char"},           {MPI_SHORT, "short"},           {MPI_INT, "int"},
        {MPI_DOUBLE, "double"},       {MPI_DOUBLE, "double"},         {MPI_C_DOUBLE_COMPLEX, "complex"},
        {MPI_SHORT_INT, "short_int"}, {MPI_DOUBLE_INT, "double_int"}, {MPI_FLOAT_INT, "float_int"},
    };
    const auto& [type, name] = types[below(types.size())];
    return {nullptr, type, name};
  }

  Built duplicate(const Built& inner) { return built("dup(" + inner.text + ")", PMPI_Type_dup, inner.type); }

  Built contiguous(const Built& inner) {
    const int count = between(0, 9);
    const std::string text = fmt::format("contiguous({}, {})", count, inner.text);
    if (one_in(2)) return built(text, PMPI_Type_contiguous_c, count, inner.type);
    return built(text, PMPI_Type_contiguous, count, inner.type);
  }

  Built vector(const Built& inner) {
    const int count = one_in(5) ? between(0, 70) : between(0, 9);
    const int length = one_in(3) ? between(0, 9) : 1;
    const int stride = one_in(5) ? -between(0, 12) : length + between(0, 6);
    const bool large = one_in(2);
    if (one_in(2)) {
      const std::string text = fmt::format("vector({}, {}, {}, {})", count, length, stride, inner.text);
      if (large) return built(text, PMPI_Type_vector_c, count, length, stride, inner.type);
      return built(text, PMPI_Type_vector, count, length, stride, inner.type);
    }
    const MPI_Aint bytes = stride * inner.extent() + (one_in(2) ? between(0, 9) : 0);
    const std::string text = fmt::format("hvector({}, {}, {}, {})", count, length, bytes, inner.text);
    if (large) return built(text, PMPI_Type_create_hvector_c, count, length, bytes, inner.type);
    return built(text, PMPI_Type_create_hvector, count, length, bytes, inner.type);
  }

  // Blocks of the given lengths one after the other, mostly with gaps, sometimes evenly spaced or in random
  // order.
  template <typename Number>
  std::vector<Number> places(const std::vector<int>& lengths, MPI_Aint unit) {
    const bool even = one_in(4);
    const int gap = between(0, 5);
    MPI_Aint next = between(-20, 20);
    std::vector<Number> result;
    for (const int length : lengths) {
      result.push_back(static_cast<Number>(next));
      next += length * unit + (even ? gap : between(0, 5));
    }
    if (one_in(4)) std::shuffle(result.begin(), result.end(), random_);
    return result;
  }

  std::vector<int> lengths(std::size_t most) {
    std::vector<int> result(one_in(5) ? below(8 * most) : below(most));
    for (int& length : result) length = between(0, 5);
    return result;
  }

  Built indexed(const Built& inner) {
    const std::vector<int> blocks = lengths(10);
    const std::vector<MPI_Count> large_blocks(blocks.begin(), blocks.end());
    const auto count = static_cast<int>(blocks.size());
    const bool large = one_in(2);
    if (one_in(2)) {
      const auto at = places<int>(blocks, 1);
      const std::vector<MPI_Count> large_at(at.begin(), at.end());
      const std::string text = fmt::format("indexed({}, {}, {})", blocks, at, inner.text);
      if (large)
        return built(text, PMPI_Type_indexed_c, count, large_blocks.data(), large_at.data(), inner.type);
      return built(text, PMPI_Type_indexed, count, blocks.data(), at.data(), inner.type);
    }
    const auto at = places<MPI_Aint>(blocks, inner.extent());
    const std::string text = fmt::format("hindexed({}, {}, {})", blocks, at, inner.text);
    if (large)
      return built(text, PMPI_Type_create_hindexed_c, count, large_blocks.data(), at.data(), inner.type);
    return built(text, PMPI_Type_create_hindexed, count, blocks.data(), at.data(), inner.type);
  }

  Built indexed_block(const Built& inner) {
    const int length = one_in(2) ? 1 : between(0, 5);
    const std::vector<int> blocks(one_in(5) ? below(80) : below(10), length);
    const auto count = static_cast<int>(blocks.size());
    const bool large = one_in(2);
    if (one_in(2)) {
      const auto at = places<int>(blocks, 1);
      const std::vector<MPI_Count> large_at(at.begin(), at.end());
      const std::string text = fmt::format("indexed_block({}, {}, {})", length, at, inner.text);
      if (large)
        return built(text, PMPI_Type_create_indexed_block_c, count, length, large_at.data(), inner.type);
      return built(text, PMPI_Type_create_indexed_block, count, length, at.data(), inner.type);
    }
    const auto at = places<MPI_Aint>(blocks, inner.extent());
    const std::string text = fmt::format("hindexed_block({}, {}, {})", length, at, inner.text);
    if (large) return built(text, PMPI_Type_create_hindexed_block_c, count, length, at.data(), inner.type);
    return built(text, PMPI_Type_create_hindexed_block, count, length, at.data(), inner.type);
  }

  Built resized(const Built& inner) {
    const MPI_Aint lower = between(-30, 30);
    const MPI_Aint extent = one_in(4) ? between(0, 40) : inner.extent() + between(0, 24);
    const std::string text = fmt::format("resized({}, {}, {})", lower, extent, inner.text);
    if (one_in(2)) return built(text, PMPI_Type_create_resized_c, inner.type, lower, extent);
    return built(text, PMPI_Type_create_resized, inner.type, lower, extent);
  }

  Built subarray(const Built& inner) {
    const int dimensions = between(1, 4);
    const int order = one_in(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<int> sizes, subsizes, starts;
    for (int i = 0; i < dimensions; ++i) {
      sizes.push_back(between(1, 6));
      subsizes.push_back(between(1, sizes.back()));
      starts.push_back(between(0, sizes.back() - subsizes.back()));
    }
    const std::string text = fmt::format("subarray({}, {}, {}, {}, {})", sizes, subsizes, starts,
                                         order == MPI_ORDER_C ? "C" : "Fortran", inner.text);
    if (one_in(2)) {
      const std::vector<MPI_Count> large_sizes(sizes.begin(), sizes.end());
      const std::vector<MPI_Count> large_subsizes(subsizes.begin(), subsizes.end());
      const std::vector<MPI_Count> large_starts(starts.begin(), starts.end());
      return built(text, PMPI_Type_create_subarray_c, dimensions, large_sizes.data(), large_subsizes.data(),
                   large_starts.data(), order, inner.type);
    }
    return built(text, PMPI_Type_create_subarray, dimensions, sizes.data(), subsizes.data(), starts.data(),
                 order, inner.type);
  }

  Built structure(int depth) {
    const std::vector<int> blocks = lengths(5);
    std::vector<MPI_Datatype> types;
    std::vector<Built> inner;
    std::vector<MPI_Aint> at;
    std::string text = "struct(";
    MPI_Aint next = between(-20, 20);
    for (const int length : blocks) {
      inner.push_back(one_in(2) || inner.empty() ? type(depth) : inner.back());
      const Span span(inner.back().type, length);
      types.push_back(inner.back().type);
      at.push_back(next - span.begin);
      next += span.end - span.begin + (one_in(3) ? 0 : between(0, 9));
      text += fmt::format("{} at {}: {}, ", length, at.back(), inner.back().text);
    }
    text += ")";
    const auto count = static_cast<int>(blocks.size());
    if (one_in(2)) {
      const std::vector<MPI_Count> large_blocks(blocks.begin(), blocks.end());
      return built(text, PMPI_Type_create_struct_c, count, large_blocks.data(), at.data(), types.data());
    }
    return built(text, PMPI_Type_create_struct, count, blocks.data(), at.data(), types.data());
  }

  std::mt19937_64 random_;
};

// Cuts [0, size) into random pieces, many of them small, and calls `act` on each.
template <typename Act>
void in_pieces(Builder& random, std::size_t size, Act act) {
  std::vector<std::size_t> cuts = {0, size};
  for (std::size_t i = random.below(12); i > 0; --i) {
    const std::size_t at = random.below(size + 1);
    cuts.push_back(at);
    cuts.push_back(std::min(size, at + random.below(20)));
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 1; i < cuts.size(); ++i) act(cuts[i - 1], cuts[i]);
}

// MPI leaves open what receiving into the same byte twice does.
bool overlaps(MPI_Datatype type, int count, const Span& span, int size) {
  std::vector<std::byte> touched(span.size());
  const std::vector<std::byte> ones(static_cast<std::size_t>(size), std::byte{1});
  int position = 0;
  PMPI_Unpack(ones.data(), size, &position, touched.data() - span.begin, count, type, MPI_COMM_SELF);
  return std::count(touched.begin(), touched.end(), std::byte{1}) != size;
}

bool check_against_mpi(Builder& random, const Built& built, int count) {
  const Span span(built.type, count);
  int element_size = 0;
  PMPI_Type_size(built.type, &element_size);
  const int size = count * element_size;
  if (span.size() > 1 << 15 || size > 1 << 15) return false;

  INFO(fmt::format("{} elements of {}", count, built.text));
  const auto layout = Layout::of(built.type);
  REQUIRE(layout != nullptr);
  REQUIRE(layout->size() == static_cast<std::size_t>(element_size));

  std::vector<std::byte> user = random.bytes(span.size());
  std::byte* base = user.data() - span.begin;
  std::vector<std::byte> expected(static_cast<std::size_t>(size));
  int position = 0;
  PMPI_Pack(base, count, built.type, expected.data(), size, &position, MPI_COMM_SELF);
  REQUIRE(position == size);

  std::vector<std::byte> packed(expected.size());
  in_pieces(random, packed.size(), [&](std::size_t begin, std::size_t end) {
    helper::layout::pack(*layout, base, begin, end, packed.data() + begin);
  });
  CHECK((packed == expected));
  if (layout->contiguous()) CHECK(std::equal(expected.begin(), expected.end(), base + layout->first_byte()));

  if (overlaps(built.type, count, span, size)) return true;
  const std::vector<std::byte> message = random.bytes(expected.size());
  std::vector<std::byte> expected_user = user;
  position = 0;
  PMPI_Unpack(message.data(), size, &position, expected_user.data() - span.begin, count, built.type,
              MPI_COMM_SELF);
  in_pieces(random, packed.size(), [&](std::size_t begin, std::size_t end) {
    helper::layout::unpack(*layout, base, begin, end, message.data() + begin);
  });
  CHECK((user == expected_user));
  return true;
}

} // namespace

TEST_CASE("Random types pack and unpack as MPI does") {
  Builder random(test_support::seed());
  int checked = 0;
  for (int i = 0; i < 10000; ++i)
    checked += check_against_mpi(random, random.type(random.between(0, 3)), random.between(1, 5));
  CHECK(checked > 8000);
}
