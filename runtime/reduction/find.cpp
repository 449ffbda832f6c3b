// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reduction/table.hpp"
#include "reduction/target.hpp"

namespace helper::reduction {
namespace {

struct Element {
  std::size_t index; // in Elements
  std::size_t size;
  int data_size; // without gaps, as MPI_Type_size has it
};

template <class T>
constexpr int data_size = sizeof(T);
template <class V, class I>
constexpr int data_size<Pair<V, I>> = sizeof(V) + sizeof(I);

template <class T, class... E>
constexpr Element find_element(List<E...>) {
  // Integers are told apart by size and sign only: long and long long are the same.
  constexpr auto same = []<class U>(U*) {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>)
      return sizeof(T) == sizeof(U) && std::is_signed_v<T> == std::is_signed_v<U>;
    else
      return std::is_same_v<T, U>;
  };
  std::size_t index = 0;
  static_cast<void>(((same(static_cast<E*>(nullptr)) || (++index, false)) || ...));
  return {index, sizeof(T), data_size<T>};
}

template <class T>
constexpr Element element = find_element<T>(Elements{});

std::unordered_map<MPI_Datatype, Element> elements_of_types() {
  const std::pair<MPI_Datatype, Element> all[] = {
      {MPI_CHAR, element<signed char>},
      {MPI_SIGNED_CHAR, element<signed char>},
      {MPI_UNSIGNED_CHAR, element<unsigned char>},
      {MPI_SHORT, element<short>},
      {MPI_UNSIGNED_SHORT, element<unsigned short>},
      {MPI_INT, element<int>},
      {MPI_UNSIGNED, element<unsigned>},
      {MPI_LONG, element<long>},
      {MPI_UNSIGNED_LONG, element<unsigned long>},
      {MPI_LONG_LONG, element<long long>},
      {MPI_UNSIGNED_LONG_LONG, element<unsigned long long>},
      {MPI_INT8_T, element<std::int8_t>},
      {MPI_INT16_T, element<std::int16_t>},
      {MPI_INT32_T, element<std::int32_t>},
      {MPI_INT64_T, element<std::int64_t>},
      {MPI_UINT8_T, element<std::uint8_t>},
      {MPI_UINT16_T, element<std::uint16_t>},
      {MPI_UINT32_T, element<std::uint32_t>},
      {MPI_UINT64_T, element<std::uint64_t>},
      {MPI_AINT, element<MPI_Aint>},
      {MPI_OFFSET, element<MPI_Offset>},
      {MPI_COUNT, element<MPI_Count>},
      {MPI_CHARACTER, element<signed char>},
      {MPI_INTEGER, element<int>},
      {MPI_INTEGER1, element<std::int8_t>},
      {MPI_INTEGER2, element<std::int16_t>},
      {MPI_INTEGER4, element<std::int32_t>},
      {MPI_INTEGER8, element<std::int64_t>},
      {MPI_FLOAT, element<float>},
      {MPI_DOUBLE, element<double>},
      {MPI_LONG_DOUBLE, element<long double>},
      {MPI_REAL, element<float>},
      {MPI_DOUBLE_PRECISION, element<double>},
      {MPI_REAL4, element<float>},
      {MPI_REAL8, element<double>},
      {MPI_BYTE, element<Byte>},
      {MPI_C_BOOL, element<Bool>},
      {MPI_CXX_BOOL, element<Bool>},
      {MPI_LOGICAL, element<Logical>},
      {MPI_C_FLOAT_COMPLEX, element<CFloatComplex>},
      {MPI_C_DOUBLE_COMPLEX, element<CDoubleComplex>},
      {MPI_C_LONG_DOUBLE_COMPLEX, element<CLongDoubleComplex>},
      {MPI_CXX_FLOAT_COMPLEX, element<Complex<float>>},
      {MPI_CXX_DOUBLE_COMPLEX, element<Complex<double>>},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, element<Complex<long double>>},
      {MPI_COMPLEX, element<Complex<float>>},
      {MPI_DOUBLE_COMPLEX, element<Complex<double>>},
      {MPI_COMPLEX8, element<Complex<float>>},
      {MPI_COMPLEX16, element<Complex<double>>},
      {MPI_SHORT_INT, element<Pair<short, int>>},
      {MPI_2INT, element<Pair<int, int>>},
      {MPI_LONG_INT, element<Pair<long, int>>},
      {MPI_FLOAT_INT, element<Pair<float, int>>},
      {MPI_DOUBLE_INT, element<Pair<double, int>>},
      {MPI_LONG_DOUBLE_INT, element<Pair<long double, int>>},
      {MPI_2INTEGER, element<Pair<int, int>>},
      {MPI_2REAL, element<Pair<float, float>>},
      {MPI_2DOUBLE_PRECISION, element<Pair<double, double>>},
  };
  std::unordered_map<MPI_Datatype, Element> map;
  for (const auto& [type, its_element] : all) {
    // MPICH may lack types (then they are MPI_DATATYPE_NULL), and Fortran's may be built with other sizes.
    int size = 0;
    if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
    if (size == its_element.data_size) map.emplace(type, its_element);
  }
  return map;
}

std::optional<Op> operation_of(MPI_Op op) {
  static const std::pair<MPI_Op, Op> all[] = {
      {MPI_SUM, Op::sum},   {MPI_MAX, Op::max},   {MPI_MIN, Op::min},       {MPI_PROD, Op::prod},
      {MPI_LAND, Op::land}, {MPI_BAND, Op::band}, {MPI_LOR, Op::lor},       {MPI_BOR, Op::bor},
      {MPI_LXOR, Op::lxor}, {MPI_BXOR, Op::bxor}, {MPI_MAXLOC, Op::maxloc}, {MPI_MINLOC, Op::minloc},
  };
  const auto* const found = std::ranges::find(all, op, [](const auto& entry) { return entry.first; });
  return found == std::end(all) ? std::nullopt : std::optional(found->second);
}

} // namespace

std::span<const Target> targets() {
  static const auto supported = [] {
    std::vector<Target> found{{"baseline", &baseline}};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", &avx2});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      found.push_back({"avx512", &avx512});
#endif
    return found;
  }();
  return supported;
}

std::optional<Kernel> find(MPI_Op op, MPI_Datatype type, const Target& target) {
  static const auto elements = elements_of_types();
  const auto operation = operation_of(op);
  const auto found = elements.find(type);
  if (!operation || found == elements.end()) return std::nullopt;
  const Combine combine = target.table->of[static_cast<std::size_t>(*operation)].combine[found->second.index];
  if (combine == nullptr) return std::nullopt;
  return Kernel{combine, found->second.size};
}

std::optional<Kernel> find(MPI_Op op, MPI_Datatype type) {
  return find(op, type, targets().back());
}

} // namespace helper::reduction
