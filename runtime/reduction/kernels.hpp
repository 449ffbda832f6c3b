// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "reduction/table.hpp"

// Defines the kernels. Each source that is compiled for one instruction set includes this file once. So
// everything here has internal linkage, and no function of the standard library is called: the linker might
// keep the copy of a shared inline function that was compiled for AVX-512.
namespace helper::reduction {
namespace {

template <class T>
concept CComplex =
    std::same_as<T, CFloatComplex> || std::same_as<T, CDoubleComplex> || std::same_as<T, CLongDoubleComplex>;

// Comparisons use signed types only (see find()), all else unsigned types, which do not overflow.
template <class T>
concept Ordered = std::signed_integral<T> || std::floating_point<T>;

template <class T>
concept Number = std::unsigned_integral<T> || std::floating_point<T> || CComplex<T>;

template <class T>
concept Truth = std::unsigned_integral<T> || std::same_as<T, Bool> || std::same_as<T, Logical>;

template <class T>
concept Bits = std::unsigned_integral<T> || std::same_as<T, Byte>;

// GCC 12 fuses products into sums of vectorised complex multiplications in spite of -ffp-contract=off, except
// across this barrier. C's complex product has no place for a barrier, so kernels call the functions below.
template <std::floating_point T>
T rounded(T product) {
#if __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(product);
#else
  return product;
#endif
}
extern "C" CFloatComplex __mulsc3(float, float, float, float) noexcept;
extern "C" CDoubleComplex __muldc3(double, double, double, double) noexcept;

/// Applies an operation to two elements of a type that supports it. The expressions equal native MPI's with
/// `upper` as inout operand, so that NaNs and signed zeros give the same results.
template <Op op, Ordered T>
requires(op == Op::max || op == Op::min) T apply(T lower, T upper) {
  return (op == Op::max ? upper > lower : upper < lower) ? upper : lower;
}

template <Op op, Number T>
requires(op == Op::sum) T apply(T lower, T upper) {
  return static_cast<T>(upper + lower);
}

template <Op op, class T>
requires(op == Op::sum) Complex<T> apply(Complex<T> lower, Complex<T> upper) {
  return {upper.real + lower.real, upper.imaginary + lower.imaginary};
}

template <Op op, Number T>
requires(op == Op::prod) T apply(T lower, T upper) {
  if constexpr (std::same_as<T, CFloatComplex>)
    return __mulsc3(__real__ upper, __imag__ upper, __real__ lower, __imag__ lower);
  else if constexpr (std::same_as<T, CDoubleComplex>)
    return __muldc3(__real__ upper, __imag__ upper, __real__ lower, __imag__ lower);
  else if constexpr (std::unsigned_integral<T>)
    return static_cast<T>(1U * upper * lower); // short types would be promoted to int and overflow
  else
    return upper * lower;
}

template <Op op, class T>
requires(op == Op::prod) Complex<T> apply(Complex<T> lower, Complex<T> upper) {
  return {rounded(upper.real * lower.real) - rounded(upper.imaginary * lower.imaginary),
          rounded(upper.imaginary * lower.real) + rounded(upper.real * lower.imaginary)};
}

template <Op op, Truth T>
requires(op == Op::land || op == Op::lor || op == Op::lxor) T apply(T lower, T upper) {
  const bool here = upper != T{};
  const bool there = lower != T{};
  return static_cast<T>(op == Op::land ? here && there : op == Op::lor ? here || there : here != there);
}

template <Op op, Bits T>
requires(op == Op::band || op == Op::bor || op == Op::bxor) T apply(T lower, T upper) {
  const auto here = static_cast<std::uint64_t>(upper);
  const auto there = static_cast<std::uint64_t>(lower);
  return static_cast<T>(op == Op::band ? here & there : op == Op::bor ? here | there : here ^ there);
}

template <Op op, class V, class I>
requires(op == Op::maxloc || op == Op::minloc) Pair<V, I> apply(Pair<V, I> lower, Pair<V, I> upper) {
  if (op == Op::maxloc ? upper.value < lower.value : upper.value > lower.value) return lower;
  const bool reaches = op == Op::maxloc ? upper.value <= lower.value : upper.value >= lower.value;
  if (reaches && !(upper.index < lower.index)) upper.index = lower.index;
  return upper;
}

/// An element in a buffer, at any address and without a declared type.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Slot {
  T element;
};

template <class T>
void store(Slot<T>& slot, T result) {
  slot.element = result;
}

template <class V, class I>
void store(Slot<Pair<V, I>>& slot, Pair<V, I> result) {
  slot.element.value = result.value; // one by one, so that the gap is not written
  slot.element.index = result.index;
}

template <Op operation, class T>
void combine(const void* lower, const void* upper, void* out, std::size_t count) noexcept {
  const auto* lowers = static_cast<const Slot<T>*>(lower);
  const auto* uppers = static_cast<const Slot<T>*>(upper);
  auto* outs = static_cast<Slot<T>*>(out);
  // No iteration needs another's result, even if `out` is an operand. So `simd` avoids a test for overlaps.
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i)
    store(outs[i], apply<operation>(lowers[i].element, uppers[i].element));
}

template <Op operation, class T>
constexpr Combine kernel() {
  if constexpr (requires(T element) { apply<operation>(element, element); })
    return combine<operation, T>;
  else if constexpr (std::signed_integral<T>)
    return kernel<operation, std::make_unsigned_t<T>>();
  else
    return nullptr;
}

template <Op operation, class... T>
constexpr std::array<Combine, sizeof...(T)> make_row(List<T...>) {
  return {kernel<operation, T>()...};
}

template <std::size_t... operation>
constexpr Table make_table(const char* name, std::index_sequence<operation...>) {
  return {name, {make_row<static_cast<Op>(operation)>(Elements{})...}};
}

constexpr Table make_table(const char* name) {
  return make_table(name, std::make_index_sequence<operation_count>{});
}

} // namespace
} // namespace helper::reduction
