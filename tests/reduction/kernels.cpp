// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "reduction/table.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"

namespace {

using namespace helper::reduction;
using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

struct NamedOp {
  const char* name;
  MPI_Op op;
};

// Classes of types. They differ in the operations that MPICH supports.
enum class Class { integer, unsigned_integer, floating, other };

struct Type {
  const char* name;
  MPI_Datatype type;
  Class of;
  std::size_t extent;
  void (*fill)(Random&, std::byte* element);
  bool (*same)(const std::byte* expected, const std::byte* actual); ///< same bits; all NaNs are equal
};

template <class T>
T pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[random() % values.size()];
}

/// Draws one of a few special values half of the time, so that there are ties. Truth values are only 0 and 1:
/// for other values MPICH 4.2 and Open MPI compute what their compilers choose.
template <class T>
T draw(Random& random) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    const T special = pick<T>(random, {0, 1, 2, static_cast<T>(-1), Limits::min(), Limits::max()});
    return random() % 2 == 0 ? special : static_cast<T>(random());
  } else {
    const T special = pick<T>(random, {T(0), -T(0), T(1), T(-1), Limits::infinity(), -Limits::infinity(),
                                       Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::max(),
                                       Limits::lowest(), Limits::min(), Limits::denorm_min()});
    return random() % 2 == 0 ? special : std::uniform_real_distribution<T>(-100, 100)(random);
  }
}

// How many bytes of a value count: 10 of 16 for the x87 long double.
template <class T>
constexpr std::size_t value_bytes = std::is_same_v<T, long double>&& std::numeric_limits<T>::digits == 64
                                        ? 10
                                        : sizeof(T);

/// Describes a type whose elements have one part or two, placed as in struct {First; Second;}.
template <class First, class Second = void>
struct Parts {
  struct Both {
    First first;
    Second second;
  };
  static constexpr std::size_t extent = sizeof(Both);
  static constexpr std::size_t second = offsetof(Both, second);
  static void fill(Random& random, std::byte* element) {
    Parts<First>::fill(random, element);
    Parts<Second>::fill(random, element + second);
  }
  static bool same(const std::byte* expected, const std::byte* actual) {
    return Parts<First>::same(expected, actual) && Parts<Second>::same(expected + second, actual + second);
  }
};

template <class T>
struct Parts<T, void> {
  static constexpr std::size_t extent = sizeof(T);
  static void fill(Random& random, std::byte* element) {
    const T value = draw<T>(random);
    std::memcpy(element, &value, value_bytes<T>);
  }
  static bool same(const std::byte* expected, const std::byte* actual) {
    if (std::memcmp(expected, actual, value_bytes<T>) == 0) return true;
    T values[2] = {};
    std::memcpy(&values[0], expected, value_bytes<T>);
    std::memcpy(&values[1], actual, value_bytes<T>);
    return values[0] != values[0] && values[1] != values[1];
  }
};

template <class... T>
Type describe(const char* name, MPI_Datatype type, Class of = Class::other) {
  using Element = Parts<T...>;
  return {name, type, of, Element::extent, Element::fill, Element::same};
}

template <class T>
Type number(const char* name, MPI_Datatype type) {
  return describe<T>(name, type,
                     std::is_floating_point_v<T> ? Class::floating
                     : std::is_signed_v<T>       ? Class::integer
                                                 : Class::unsigned_integer);
}

const std::vector<NamedOp> ops{{"MAX", MPI_MAX},   {"MIN", MPI_MIN},       {"SUM", MPI_SUM},
                               {"PROD", MPI_PROD}, {"LAND", MPI_LAND},     {"BAND", MPI_BAND},
                               {"LOR", MPI_LOR},   {"BOR", MPI_BOR},       {"LXOR", MPI_LXOR},
                               {"BXOR", MPI_BXOR}, {"MAXLOC", MPI_MAXLOC}, {"MINLOC", MPI_MINLOC}};

const std::vector<Type> types{
    number<signed char>("CHAR", MPI_CHAR), number<signed char>("SIGNED_CHAR", MPI_SIGNED_CHAR),
    number<unsigned char>("UNSIGNED_CHAR", MPI_UNSIGNED_CHAR), number<short>("SHORT", MPI_SHORT),
    number<unsigned short>("UNSIGNED_SHORT", MPI_UNSIGNED_SHORT), number<int>("INT", MPI_INT),
    number<unsigned>("UNSIGNED", MPI_UNSIGNED), number<long>("LONG", MPI_LONG),
    number<unsigned long>("UNSIGNED_LONG", MPI_UNSIGNED_LONG), number<long long>("LONG_LONG", MPI_LONG_LONG),
    number<unsigned long long>("UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG),
    number<std::int8_t>("INT8_T", MPI_INT8_T), number<std::int16_t>("INT16_T", MPI_INT16_T),
    number<std::int32_t>("INT32_T", MPI_INT32_T), number<std::int64_t>("INT64_T", MPI_INT64_T),
    number<std::uint8_t>("UINT8_T", MPI_UINT8_T), number<std::uint16_t>("UINT16_T", MPI_UINT16_T),
    number<std::uint32_t>("UINT32_T", MPI_UINT32_T), number<std::uint64_t>("UINT64_T", MPI_UINT64_T),
    number<MPI_Aint>("AINT", MPI_AINT), number<MPI_Offset>("OFFSET", MPI_OFFSET),
    number<MPI_Count>("COUNT", MPI_COUNT), number<signed char>("CHARACTER", MPI_CHARACTER),
    number<MPI_Fint>("INTEGER", MPI_INTEGER), number<std::int8_t>("INTEGER1", MPI_INTEGER1),
    number<std::int16_t>("INTEGER2", MPI_INTEGER2), number<std::int32_t>("INTEGER4", MPI_INTEGER4),
    number<std::int64_t>("INTEGER8", MPI_INTEGER8), number<float>("FLOAT", MPI_FLOAT),
    number<double>("DOUBLE", MPI_DOUBLE), number<long double>("LONG_DOUBLE", MPI_LONG_DOUBLE),
    number<float>("REAL", MPI_REAL), number<double>("DOUBLE_PRECISION", MPI_DOUBLE_PRECISION),
    number<float>("REAL4", MPI_REAL4), number<double>("REAL8", MPI_REAL8),
    describe<std::uint8_t>("BYTE", MPI_BYTE), describe<bool>("C_BOOL", MPI_C_BOOL),
    describe<bool>("CXX_BOOL", MPI_CXX_BOOL), describe<MPI_Fint>("LOGICAL", MPI_LOGICAL),
    describe<float, float>("C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX),
    describe<double, double>("C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX),
    describe<long double, long double>("C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX),
    describe<float, float>("CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX),
    describe<double, double>("CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX),
    describe<long double, long double>("CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX),
    describe<float, float>("COMPLEX", MPI_COMPLEX),
    describe<double, double>("DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX),
    describe<float, float>("COMPLEX8", MPI_COMPLEX8), describe<double, double>("COMPLEX16", MPI_COMPLEX16),
    describe<short, int>("SHORT_INT", MPI_SHORT_INT), describe<int, int>("2INT", MPI_2INT),
    describe<long, int>("LONG_INT", MPI_LONG_INT), describe<float, int>("FLOAT_INT", MPI_FLOAT_INT),
    describe<double, int>("DOUBLE_INT", MPI_DOUBLE_INT),
    describe<long double, int>("LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT),
    describe<MPI_Fint, MPI_Fint>("2INTEGER", MPI_2INTEGER), describe<float, float>("2REAL", MPI_2REAL),
    describe<double, double>("2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION),
    // MPI defines no reductions of these types, except of the first one; see find().
    describe<long double>("REAL16", MPI_REAL16),
    describe<long double, long double>("COMPLEX32", MPI_COMPLEX32), describe<wchar_t>("WCHAR", MPI_WCHAR),
    describe<std::uint8_t>("PACKED", MPI_PACKED)};

bool among(MPI_Op op, std::initializer_list<MPI_Op> group) {
  return std::find(group.begin(), group.end(), op) != group.end();
}

/// Returns whether MPICH accepts `op` for the type, but aborts or computes something else; see find().
bool wrong_natively(MPI_Op op, const Type& type) {
  return type.type == MPI_REAL16 || (type.of == Class::unsigned_integer && among(op, {MPI_MAX, MPI_MIN})) ||
         (type.of == Class::floating && among(op, {MPI_LAND, MPI_LOR, MPI_LXOR}));
}

/// Returns whether native MPI accepts the operation for the type.
bool accepted(MPI_Op op, const Type& type) {
  const auto handle_errors = [](MPI_Errhandler handler) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) PMPI_Comm_set_errhandler(comm, handler);
  };
  const Bytes element(type.extent);
  Bytes out = element;
  handle_errors(MPI_ERRORS_RETURN);
  const int code = PMPI_Reduce_local(element.data(), out.data(), 1, type.type, op);
  handle_errors(MPI_ERRORS_ARE_FATAL);
  return code == MPI_SUCCESS;
}

/// Returns whether native MPI computes the same bits as MPICH, for an operation and a type with a kernel.
/// Open MPI does for most integers. It refuses some, may saturate sums of small ones, and treats the sign of
/// two types, NaN and infinities differently.
/// If all processors have fused multiply-add, compilers use it in complex products of both MPIs. MPICH 5.0
/// computes complex products of infinities as infinities, like C.
bool as_mpich(MPI_Op op, const Type& type) {
  bool multiplies_otherwise = test_support::is_mpich_5_0();
#ifdef __FP_FAST_FMA
  multiplies_otherwise = true;
#endif
  const bool is_complex = std::string(type.name).find("COMPLEX") != std::string::npos;
  if (multiplies_otherwise && op == MPI_PROD && is_complex) return false;
  if (test_support::is_mpich_5_0()) return accepted(op, type);
  if (!test_support::is_open_mpi()) return true;
  if (type.of != Class::integer && type.of != Class::unsigned_integer) return false;
  if (op == MPI_SUM && type.extent < sizeof(int)) return false;
  if (among(op, {MPI_MAX, MPI_MIN}) && (type.type == MPI_OFFSET || type.type == MPI_CHARACTER)) return false;
  return accepted(op, type);
}

constexpr std::byte gap{0xA5}; // between the parts of elements, and before and after them

/// Returns a buffer with `count` random elements, which start at `offset`.
Bytes random_elements(Random& random, const Type& type, std::size_t count, std::size_t offset) {
  Bytes bytes(offset + count * type.extent, gap);
  for (std::size_t i = 0; i < count; ++i) type.fill(random, bytes.data() + offset + i * type.extent);
  return bytes;
}

Bytes natively(MPI_Op op, const Type& type, const Bytes& lower, const Bytes& upper, std::size_t count) {
  Bytes out = upper;
  PMPI_Reduce_local(lower.data(), out.data(), static_cast<int>(count), type.type, op);
  return out;
}

enum class Out { apart, lower, upper };

Bytes by_kernel(const Kernel& kernel, Bytes lower, Bytes upper, std::size_t count, std::size_t offset,
                Out where) {
  for (Bytes* operand : {&lower, &upper}) operand->insert(operand->begin(), offset, gap);
  Bytes apart(lower.size(), gap);
  Bytes& out = where == Out::apart ? apart : where == Out::lower ? lower : upper;
  kernel.combine(lower.data() + offset, upper.data() + offset, out.data() + offset, count);
  return Bytes(out.begin() + static_cast<std::ptrdiff_t>(offset), out.end());
}

/// Returns whether all bits are equal, including gaps. If `rounds`, all NaNs are equal.
bool equal(const Bytes& expected, const Bytes& actual, const Type& type, bool rounds) {
  if (expected == actual) return true;
  if (!rounds || expected.size() != actual.size()) return false;
  for (std::size_t at = 0; at < expected.size(); at += type.extent)
    if (!type.same(expected.data() + at, actual.data() + at)) return false;
  return true;
}

/// Tries all counts, alignments and forms of aliasing for an operation and a type. Returns what differs from
/// native MPI, or an empty text.
std::string differences(Random& random, const NamedOp& op, const Type& type) {
  using Sizes = std::initializer_list<std::size_t>;
  const bool rounds = among(op.op, {MPI_SUM, MPI_PROD});
  std::string all;
  for (const std::size_t count : Sizes{0, 1, 2, 3, 7, 8, 9, 31, 64, 1000, 4099}) {
    const Bytes lower = random_elements(random, type, count, 0);
    const Bytes upper = random_elements(random, type, count, 0);
    const Bytes expected = natively(op.op, type, lower, upper, count);
    for (const Table* const table : tables())
      for (const std::size_t offset : Sizes{0, 1, 4, 13})
        for (const Out where : {Out::apart, Out::lower, Out::upper})
          if (!equal(expected, by_kernel(*find(op.op, type.type, *table), lower, upper, count, offset, where),
                     type, rounds))
            all += fmt::format(" {}:{}+{}/{}", table->name, count, offset, static_cast<int>(where));
  }
  return all;
}

} // namespace

TEST_CASE("A kernel exists for what MPI_Reduce_local accepts and computes as MPI defines it") {
  if (test_support::is_open_mpi() || test_support::is_mpich_5_0())
    return; // they accept other pairs, for example MPI_MAX of MPI_BYTE or not MPI_LAND of MPI_INTEGER
  for (const Type& type : types)
    for (const NamedOp& op : ops) {
      INFO(op.name << " of " << type.name);
      const bool expected = !wrong_natively(op.op, type) && accepted(op.op, type);
      CHECK(find(op.op, type.type).has_value() == expected);
    }
}

TEST_CASE("No kernel for operations and types of the user's, nor for those that reduce nothing") {
  MPI_Op op;
  PMPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  MPI_Datatype type;
  PMPI_Type_dup(MPI_INT, &type);
  CHECK_FALSE(find(op, MPI_INT));
  CHECK_FALSE(find(MPI_REPLACE, MPI_INT));
  CHECK_FALSE(find(MPI_NO_OP, MPI_INT));
  CHECK_FALSE(find(MPI_OP_NULL, MPI_INT));
  CHECK_FALSE(find(MPI_SUM, type));
  CHECK_FALSE(find(MPI_SUM, MPI_DATATYPE_NULL));
  PMPI_Type_free(&type);
  PMPI_Op_free(&op);
}

TEST_CASE("An element's size is its type's extent") {
  for (const Type& type : types)
    for (const NamedOp& op : ops)
      if (const auto kernel = find(op.op, type.type)) {
        MPI_Aint lower_bound = 0;
        MPI_Aint extent = 0;
        PMPI_Type_get_extent(type.type, &lower_bound, &extent);
        INFO(type.name);
        CHECK(static_cast<MPI_Aint>(kernel->element_size) == extent);
      }
}

TEST_CASE("The kernels of every target compute what MPI_Reduce_local computes") {
  Random random(test_support::seed());
  for (const Type& type : types)
    for (const NamedOp& op : ops)
      if (find(op.op, type.type) && as_mpich(op.op, type)) {
        INFO(op.name << " of " << type.name << ", target:count+offset/out");
        CHECK(differences(random, op, type) == "");
      }
}
