// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reduction/kernel.hpp"

// The interface between the kernels of each instruction set and the code that chooses among them.
namespace helper::reduction {

enum class Op { max, min, sum, prod, land, band, lor, bor, lxor, bxor, maxloc, minloc };
inline constexpr std::size_t operation_count = 12;

// Representations of elements, each of several MPI types. C's complex types differ from Complex: C requires
// correct products with infinities (quirk plain_complex_products).
__extension__ typedef _Complex float CFloatComplex;
__extension__ typedef _Complex double CDoubleComplex;
__extension__ typedef _Complex long double CLongDoubleComplex;

template <class Part>
struct Complex {
  Part real;
  Part imaginary;
};

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

enum class Byte : std::uint8_t {}; // bits without a value
enum class Bool : std::uint8_t {}; // not bool, which may only contain 0 or 1
enum class Logical : unsigned {};  // Fortran's LOGICAL of the default kind, false if 0

template <class... T>
struct List {
  static constexpr std::size_t size = sizeof...(T);
};

using Elements =
    List<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
         std::uint64_t, float, double, long double, Byte, Bool, Logical, CFloatComplex, CDoubleComplex,
         CLongDoubleComplex, Complex<float>, Complex<double>, Complex<long double>, Pair<short, int>,
         Pair<int, int>, Pair<long, int>, Pair<float, int>, Pair<double, int>, Pair<long double, int>,
         Pair<float, float>, Pair<double, double>>;

/// The kernels compiled for one instruction set.
struct Table {
  const char* name;
  /// The kernel of each operation and element; null if the operation is not defined on the element.
  std::array<std::array<Combine, Elements::size>, operation_count> of;
};

extern const Table baseline;
extern const Table avx2;
extern const Table avx512;

/// Returns the tables that this processor can run, slowest first.
std::span<const Table* const> tables();

/// Returns what find() of kernel.hpp returns, but from this table instead of the fastest one.
std::optional<Kernel> find(MPI_Op op, MPI_Datatype type, const Table& table);

} // namespace helper::reduction
