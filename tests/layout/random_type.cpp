// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/random_type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "support/mpi_support.hpp"

namespace test_support {
namespace {

template <typename... Arguments>
Built built(std::string text, Arguments... arguments) {
  auto owner = std::make_shared<const Type>(arguments...);
  const MPI_Datatype type = *owner;
  return {std::move(owner), type, std::move(text)};
}

#if MPI_VERSION >= 4
template <class Number>
std::vector<MPI_Count> large(const std::vector<Number>& numbers) {
  return {numbers.begin(), numbers.end()};
}
#endif

/// Returns whether MPI misreads this stride. Open MPI takes a stride of -1 bytes for a stride without gaps.
bool misread(MPI_Aint stride) {
  return stride == -1 && is_open_mpi();
}

MPI_Datatype parametrised_real() {
  MPI_Datatype type;
  PMPI_Type_create_f90_real(6, 30, &type);
  return type;
}

MPI_Datatype parametrised_complex() {
  MPI_Datatype type;
  PMPI_Type_create_f90_complex(15, 300, &type);
  return type;
}

MPI_Datatype parametrised_integer() {
  MPI_Datatype type;
  PMPI_Type_create_f90_integer(9, &type);
  return type;
}

const char* name(int order) {
  return order == MPI_ORDER_C ? "C" : "Fortran";
}

} // namespace

std::size_t Built::size() const {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(size);
}

MPI_Aint Built::extent() const {
  MPI_Aint lower = 0, result = 0;
  PMPI_Type_get_extent(type, &lower, &result);
  return result;
}

std::vector<std::byte> Random::bytes(std::size_t n) {
  std::vector<std::byte> result(n);
  for (std::byte& byte : result) byte = static_cast<std::byte>(engine_());
  return result;
}

Built RandomTypes::type(int depth) {
  for (;;) {
    Built result = any_type(depth);
    if (result.size() != 0 && Span(result.type, 1).size() < 1 << 13) return result;
  }
}

Built RandomTypes::any_type(int depth) {
  if (depth == 0 || random_.one_in(8)) return predefined();
  constexpr std::array constructors{
      &RandomTypes::duplicate,     &RandomTypes::contiguous,     &RandomTypes::vector,
      &RandomTypes::hvector,       &RandomTypes::indexed,        &RandomTypes::hindexed,
      &RandomTypes::indexed_block, &RandomTypes::hindexed_block, &RandomTypes::resized,
      &RandomTypes::subarray,      &RandomTypes::darray,
  };
  const std::size_t choice = random_.below(constructors.size() + 2);
  if (choice >= constructors.size()) return structure(depth - 1);
  return (this->*constructors[choice])(type(depth - 1));
}

// Leaves out long double: MPICH copies the ten bytes of its value, and its padding only within a longer run.
// Leaves out complex numbers with Open MPI 5.0: it packs them wrongly at strides that are no multiple of
// their size.
Built RandomTypes::predefined() {
  static const auto types = [] {
    std::vector<std::pair<MPI_Datatype, const char*>> all = {
        {MPI_CHAR, "char"},
        {MPI_SHORT, "short"},
        {MPI_INT, "int"},
        {MPI_DOUBLE, "double"},
        {MPI_DOUBLE, "double"},
        {MPI_SHORT_INT, "short_int"},
        {MPI_DOUBLE_INT, "double_int"},
        {MPI_FLOAT_INT, "float_int"},
        {parametrised_real(), "f90_real(6, 30)"},
        {parametrised_integer(), "f90_integer(9)"},
    };
    if (!is_open_mpi("5.0")) {
      all.emplace_back(MPI_C_DOUBLE_COMPLEX, "complex");
      all.emplace_back(parametrised_complex(), "f90_complex(15, 300)");
    }
    return all;
  }();
  const auto& [type, name] = types[random_.below(types.size())];
  return {nullptr, type, name};
}

Built RandomTypes::duplicate(const Built& inner) {
  return built("dup(" + inner.text + ")", PMPI_Type_dup, inner.type);
}

Built RandomTypes::contiguous(const Built& inner) {
  const int count = random_.between(0, 9);
  const std::string text = fmt::format("({}, {})", count, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2)) return built("contiguous_c" + text, PMPI_Type_contiguous_c, count, inner.type);
#endif
  return built("contiguous" + text, PMPI_Type_contiguous, count, inner.type);
}

int RandomTypes::stride(int length) {
  return random_.one_in(5) ? -random_.between(0, 12) : length + random_.between(0, 6);
}

Built RandomTypes::vector(const Built& inner) {
  const int count = random_.between(0, random_.one_in(5) ? 70 : 9);
  const int length = random_.one_in(3) ? random_.between(0, 17) : 1;
  const int distance = stride(length);
  if (misread(distance * inner.extent())) return vector(inner);
  const std::string text = fmt::format("({}, {}, {}, {})", count, length, distance, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("vector_c" + text, PMPI_Type_vector_c, count, length, distance, inner.type);
#endif
  return built("vector" + text, PMPI_Type_vector, count, length, distance, inner.type);
}

Built RandomTypes::hvector(const Built& inner) {
  const int count = random_.between(0, random_.one_in(5) ? 70 : 9);
  const int length = random_.one_in(3) ? random_.between(0, 17) : 1;
  const MPI_Aint distance = stride(length) * inner.extent() + (random_.one_in(2) ? random_.between(0, 9) : 0);
  if (misread(distance)) return hvector(inner);
  const std::string text = fmt::format("({}, {}, {}, {})", count, length, distance, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("hvector_c" + text, PMPI_Type_create_hvector_c, count, length, distance, inner.type);
#endif
  return built("hvector" + text, PMPI_Type_create_hvector, count, length, distance, inner.type);
}

// Returns the places of blocks of the given lengths, one block after the other, mostly with gaps. Sometimes
// they are evenly spaced, periodic or in random order.
template <typename Number>
std::vector<Number> RandomTypes::places(const std::vector<int>& lengths, MPI_Aint unit) {
  std::vector<int> gaps(random_.one_in(3) ? random_.below(4) + 1 : lengths.size() + 1);
  for (int& gap : gaps) gap = random_.between(0, 5);
  MPI_Aint next = random_.between(-20, 20);
  std::vector<Number> result;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    result.push_back(static_cast<Number>(next));
    next += lengths[i] * unit + gaps[i % gaps.size()];
  }
  if (random_.one_in(4)) random_.shuffle(result);
  return result;
}

std::vector<int> RandomTypes::lengths(std::size_t most) {
  std::vector<int> result(random_.below(random_.one_in(5) ? 8 * most : most));
  const int longest = random_.one_in(4) ? 17 : 5;
  for (int& length : result) length = random_.between(0, longest);
  return result;
}

std::vector<int> RandomTypes::equal_lengths() {
  const int length = random_.one_in(2) ? 1 : random_.between(0, 17);
  return std::vector<int>(random_.below(random_.one_in(5) ? 80 : 10) + 1, length);
}

Built RandomTypes::indexed(const Built& inner) {
  const std::vector<int> blocks = lengths(10);
  const auto count = static_cast<int>(blocks.size());
  const auto at = places<int>(blocks, 1);
  const std::string text = fmt::format("({}, {}, {})", blocks, at, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("indexed_c" + text, PMPI_Type_indexed_c, count, large(blocks).data(), large(at).data(),
                 inner.type);
#endif
  return built("indexed" + text, PMPI_Type_indexed, count, blocks.data(), at.data(), inner.type);
}

Built RandomTypes::hindexed(const Built& inner) {
  const std::vector<int> blocks = lengths(10);
  const auto count = static_cast<int>(blocks.size());
  const auto at = places<MPI_Aint>(blocks, inner.extent());
  const std::string text = fmt::format("({}, {}, {})", blocks, at, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("hindexed_c" + text, PMPI_Type_create_hindexed_c, count, large(blocks).data(),
                 large(at).data(), inner.type);
#endif
  return built("hindexed" + text, PMPI_Type_create_hindexed, count, blocks.data(), at.data(), inner.type);
}

Built RandomTypes::indexed_block(const Built& inner) {
  const std::vector<int> blocks = equal_lengths();
  const auto count = static_cast<int>(blocks.size());
  const auto at = places<int>(blocks, 1);
  const std::string text = fmt::format("({}, {}, {})", blocks.front(), at, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("indexed_block_c" + text, PMPI_Type_create_indexed_block_c, count, blocks.front(),
                 large(at).data(), inner.type);
#endif
  return built("indexed_block" + text, PMPI_Type_create_indexed_block, count, blocks.front(), at.data(),
               inner.type);
}

Built RandomTypes::hindexed_block(const Built& inner) {
  const std::vector<int> blocks = equal_lengths();
  const auto count = static_cast<int>(blocks.size());
  const auto at = places<MPI_Aint>(blocks, inner.extent());
  const std::string text = fmt::format("({}, {}, {})", blocks.front(), at, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("hindexed_block_c" + text, PMPI_Type_create_hindexed_block_c, count, blocks.front(),
                 large(at).data(), inner.type);
#endif
  return built("hindexed_block" + text, PMPI_Type_create_hindexed_block, count, blocks.front(), at.data(),
               inner.type);
}

Built RandomTypes::resized(const Built& inner) {
  const MPI_Aint lower = random_.between(-30, 30);
  const MPI_Aint extent =
      random_.one_in(4) ? random_.between(0, 40) : inner.extent() + random_.between(0, 24);
  const std::string text = fmt::format("({}, {}, {})", lower, extent, inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("resized_c" + text, PMPI_Type_create_resized_c, inner.type, lower, extent);
#endif
  return built("resized" + text, PMPI_Type_create_resized, inner.type, lower, extent);
}

Built RandomTypes::subarray(const Built& inner) {
  const int dimensions = random_.between(1, 4);
  const int order = random_.one_in(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  std::vector<int> sizes, subsizes, starts;
  for (int i = 0; i < dimensions; ++i) {
    sizes.push_back(random_.between(1, 6));
    subsizes.push_back(random_.between(1, sizes.back()));
    starts.push_back(random_.between(0, sizes.back() - subsizes.back()));
  }
  const std::string text =
      fmt::format("({}, {}, {}, {}, {})", sizes, subsizes, starts, name(order), inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("subarray_c" + text, PMPI_Type_create_subarray_c, dimensions, large(sizes).data(),
                 large(subsizes).data(), large(starts).data(), order, inner.type);
#endif
  return built("subarray" + text, PMPI_Type_create_subarray, dimensions, sizes.data(), subsizes.data(),
               starts.data(), order, inner.type);
}

// Avoids a part that consists only of the last, incomplete block of a cyclic dimension. MPICH would build it
// with an empty piece and divide by zero.
Built RandomTypes::darray(const Built& inner) {
  const int dimensions = random_.between(1, 3);
  const int order = random_.one_in(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  std::vector<int> sizes, distributions, arguments, grid;
  int rank = 0, processes = 1;
  for (int i = 0; i < dimensions; ++i) {
    sizes.push_back(random_.between(1, 9));
    constexpr std::array kinds{MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    distributions.push_back(kinds[random_.below(kinds.size())]);
    grid.push_back(distributions.back() == MPI_DISTRIBUTE_NONE ? 1 : random_.between(1, 3));
    const int coordinate = random_.between(0, grid.back() - 1);
    int length = MPI_DISTRIBUTE_DFLT_DARG;
    if (distributions.back() == MPI_DISTRIBUTE_BLOCK && random_.one_in(2))
      length = (sizes.back() + grid.back() - 1) / grid.back() + random_.between(0, 2);
    if (distributions.back() == MPI_DISTRIBUTE_CYCLIC && random_.one_in(2)) {
      length = random_.between(1, 3);
      const int left = sizes.back() - coordinate * length;
      if (0 < left && left < length) length = 1;
    }
    arguments.push_back(length);
    rank = rank * grid.back() + coordinate;
    processes *= grid.back();
  }
  const std::string text = fmt::format("({}, {}, {}, {}, {}, {}, {}, {})", processes, rank, sizes,
                                       distributions, arguments, grid, name(order), inner.text);
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("darray_c" + text, PMPI_Type_create_darray_c, processes, rank, dimensions,
                 large(sizes).data(), distributions.data(), arguments.data(), grid.data(), order, inner.type);
#endif
  return built("darray" + text, PMPI_Type_create_darray, processes, rank, dimensions, sizes.data(),
               distributions.data(), arguments.data(), grid.data(), order, inner.type);
}

Built RandomTypes::structure(int depth) {
  const std::vector<int> blocks = lengths(5);
  std::vector<MPI_Datatype> types;
  std::vector<Built> inner;
  std::vector<MPI_Aint> at;
  std::string text = "(";
  MPI_Aint next = random_.between(-20, 20);
  for (const int length : blocks) {
    inner.push_back(random_.one_in(2) || inner.empty() ? type(depth) : inner.back());
    const Span span(inner.back().type, length);
    types.push_back(inner.back().type);
    at.push_back(next - span.begin);
    next += span.end - span.begin + (random_.one_in(3) ? 0 : random_.between(0, 9));
    text += fmt::format("{} at {}: {}, ", length, at.back(), inner.back().text);
  }
  text += ")";
  const auto count = static_cast<int>(blocks.size());
#if MPI_VERSION >= 4
  if (random_.one_in(2))
    return built("struct_c" + text, PMPI_Type_create_struct_c, count, large(blocks).data(), large(at).data(),
                 types.data());
#endif
  return built("struct" + text, PMPI_Type_create_struct, count, blocks.data(), at.data(), types.data());
}

} // namespace test_support
