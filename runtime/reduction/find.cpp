// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reduction/table.hpp"

namespace helper::reduction {
namespace {

struct Element {
  std::size_t index; // in Elements
  std::size_t size;
  int data_size; // without gaps, as MPI_Type_size returns
};

template <class T>
constexpr int data_size = sizeof(T);
template <class V, class I>
constexpr int data_size<Pair<V, I>> = sizeof(V) + sizeof(I);

template <class T, class... E>
constexpr Element find_element(List<E...>) {
  // Integers are distinguished only by size and sign: long and long long are the same.
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
  const std::pair<Element, std::vector<MPI_Datatype>> all[] = {
      {element<std::int8_t>, {MPI_CHAR, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_CHARACTER, MPI_INTEGER1}},
      {element<std::uint8_t>, {MPI_UNSIGNED_CHAR, MPI_UINT8_T}},
      {element<std::int16_t>, {MPI_SHORT, MPI_INT16_T, MPI_INTEGER2}},
      {element<std::uint16_t>, {MPI_UNSIGNED_SHORT, MPI_UINT16_T}},
      {element<std::int32_t>, {MPI_INT, MPI_INT32_T, MPI_INTEGER, MPI_INTEGER4}},
      {element<std::uint32_t>, {MPI_UNSIGNED, MPI_UINT32_T}},
      {element<std::int64_t>, {MPI_LONG_LONG, MPI_INT64_T, MPI_INTEGER8}},
      {element<std::uint64_t>, {MPI_UNSIGNED_LONG_LONG, MPI_UINT64_T}},
      {element<long>, {MPI_LONG}},
      {element<unsigned long>, {MPI_UNSIGNED_LONG}},
      {element<MPI_Aint>, {MPI_AINT}},
      {element<MPI_Offset>, {MPI_OFFSET}},
      {element<MPI_Count>, {MPI_COUNT}},
      {element<float>, {MPI_FLOAT, MPI_REAL, MPI_REAL4}},
      {element<double>, {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}},
      {element<long double>, {MPI_LONG_DOUBLE}},
      {element<Byte>, {MPI_BYTE}},
      {element<Bool>, {MPI_C_BOOL, MPI_CXX_BOOL}},
      {element<Logical>, {MPI_LOGICAL}},
      {element<CFloatComplex>, {MPI_C_FLOAT_COMPLEX}},
      {element<CDoubleComplex>, {MPI_C_DOUBLE_COMPLEX}},
      {element<CLongDoubleComplex>, {MPI_C_LONG_DOUBLE_COMPLEX}},
      {element<Complex<float>>, {MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8}},
      {element<Complex<double>>, {MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16}},
      {element<Complex<long double>>, {MPI_CXX_LONG_DOUBLE_COMPLEX}},
      {element<Pair<short, int>>, {MPI_SHORT_INT}},
      {element<Pair<int, int>>, {MPI_2INT, MPI_2INTEGER}},
      {element<Pair<long, int>>, {MPI_LONG_INT}},
      {element<Pair<float, int>>, {MPI_FLOAT_INT}},
      {element<Pair<double, int>>, {MPI_DOUBLE_INT}},
      {element<Pair<long double, int>>, {MPI_LONG_DOUBLE_INT}},
      {element<Pair<float, float>>, {MPI_2REAL}},
      {element<Pair<double, double>>, {MPI_2DOUBLE_PRECISION}},
  };
  std::unordered_map<MPI_Datatype, Element> map;
  for (const auto& [its_element, types] : all) {
    for (const MPI_Datatype type : types) {
      // MPI may lack types (quirk lacks_types), and Fortran types may be built with other sizes.
      int size = 0;
      if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
      if (size == its_element.data_size) map.emplace(type, its_element);
    }
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

std::span<const Table* const> tables() {
  static const auto supported = [] {
    std::vector<const Table*> found{&baseline};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) found.push_back(&avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      found.push_back(&avx512);
#endif
    return found;
  }();
  return supported;
}

std::optional<Kernel> find(MPI_Op op, MPI_Datatype type, const Table& table) {
  static const auto elements = elements_of_types();
  const auto operation = operation_of(op);
  const auto found = elements.find(type);
  if (!operation || found == elements.end()) return std::nullopt;
  const Combine combine = table.of[static_cast<std::size_t>(*operation)][found->second.index];
  if (combine == nullptr) return std::nullopt;
  return Kernel{combine, found->second.size};
}

bool is_predefined(MPI_Op op) {
  return operation_of(op) || op == MPI_REPLACE || op == MPI_NO_OP;
}

std::optional<Kernel> find(MPI_Op op, MPI_Datatype type) {
  return find(op, type, *tables().back());
}

} // namespace helper::reduction
