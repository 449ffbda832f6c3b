// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "collective/cases.hpp"

using namespace test_support;

namespace {

/// Types of a kind, and the operations that the MPI standard defines on them (MPI-4.0, section 6.9.2). Native
/// MPI is not asked: it aborts on some pairs that are not defined.
struct Kind {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Op> operations;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {{MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
        MPI_UINT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT},
       {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR}},
      {{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE}, {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD}},
      {{MPI_C_BOOL}, {MPI_LAND, MPI_LOR, MPI_LXOR}},
      {{MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX}, {MPI_SUM, MPI_PROD}},
      {{MPI_BYTE}, {MPI_BAND, MPI_BOR, MPI_BXOR}},
      {{MPI_2INT, MPI_SHORT_INT, MPI_LONG_INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT},
       {MPI_MINLOC, MPI_MAXLOC}}};
  return all;
}

bool is_floating(MPI_Datatype type) {
  const std::array floating{MPI_FLOAT,           MPI_DOUBLE,           MPI_LONG_DOUBLE,
                            MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT,
                            MPI_DOUBLE_INT,      MPI_LONG_DOUBLE_INT};
  return std::ranges::find(floating, type) != floating.end();
}

/// Fills a buffer so that floating-point sums and products of a few ranks are exact: small powers of two.
template <class Real>
void fill_exact(std::vector<unsigned char>& bytes, Draw& draw) {
  for (std::size_t at = 0; at + sizeof(Real) <= bytes.size(); at += sizeof(Real)) {
    const Real value = static_cast<Real>(1 << draw.upto(2));
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

void fill(std::vector<unsigned char>& bytes, MPI_Datatype type, Draw& draw) {
  if (!is_floating(type)) {
    draw.fill(bytes);
  } else if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX || type == MPI_FLOAT_INT) {
    fill_exact<float>(bytes, draw);
  } else if (type == MPI_LONG_DOUBLE || type == MPI_LONG_DOUBLE_INT) {
    fill_exact<long double>(bytes, draw);
  } else {
    fill_exact<double>(bytes, draw);
  }
}

std::vector<std::pair<MPI_Op, MPI_Datatype>> defined_pairs() {
  std::vector<std::pair<MPI_Op, MPI_Datatype>> pairs;
  for (const Kind& kind : kinds()) {
    for (MPI_Datatype type : kind.types) {
      for (MPI_Op op : kind.operations) pairs.emplace_back(op, type);
    }
  }
  return pairs;
}

/// A long double has bytes that belong to no value; they may hold anything.
void clear_padding(std::vector<unsigned char>& bytes, MPI_Datatype type) {
  if (type != MPI_LONG_DOUBLE && type != MPI_LONG_DOUBLE_INT) return;
  constexpr std::size_t significant = 10; // of the x87 format
  const std::size_t extent = type == MPI_LONG_DOUBLE ? sizeof(long double) : 2 * sizeof(long double);
  for (std::size_t at = 0; at + sizeof(long double) <= bytes.size(); at += extent) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + significant),
                sizeof(long double) - significant, 0);
  }
}

/// Runs one allreduce by the team and one by native MPI on the same input. The results must be the same
/// bytes.
void compare(Helpers& helpers, Draw& own, MPI_Datatype type, int count, MPI_Op op, bool in_place,
             const Comm& comm) {
  Buffer input(type, count);
  fill(input.bytes, type, own);
  Buffer carried = input;
  if (!in_place) std::ranges::fill(carried.bytes, static_cast<unsigned char>(0xa5));
  Buffer native = carried;
  Buffer source = input;
  const void* const send = in_place ? MPI_IN_PLACE : source.address();
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = MPI_Allreduce(send, carried.address(), count, type, op, comm); });
  PMPI_Allreduce(send, native.address(), count, type, op, comm);
  REQUIRE(code == MPI_SUCCESS);
  REQUIRE(source.bytes == input.bytes);
  clear_padding(carried.bytes, type);
  clear_padding(native.bytes, type);
  REQUIRE(carried.bytes == native.bytes);
}

// Multiplication of 2 x 2 matrices modulo 2^32: associative, exact, not commutative.
struct Matrix {
  std::uint32_t a, b, c, d;
};

Matrix multiply(const Matrix& x, const Matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

extern "C" void multiply_dense(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* lower = static_cast<const Matrix*>(in);
  auto* upper = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) upper[i] = multiply(lower[i], upper[i]);
}

// The same with a gap after each number, as a vector of stride 2 has it.
struct GappyMatrix {
  std::uint32_t a, gap_a, b, gap_b, c, gap_c, d;
};

extern "C" void multiply_gappy(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* lower = static_cast<const GappyMatrix*>(in);
  auto* upper = static_cast<GappyMatrix*>(inout);
  for (int i = 0; i < *count; ++i) {
    const Matrix x{lower[i].a, lower[i].b, lower[i].c, lower[i].d};
    const Matrix product = multiply(x, {upper[i].a, upper[i].b, upper[i].c, upper[i].d});
    upper[i].a = product.a;
    upper[i].b = product.b;
    upper[i].c = product.c;
    upper[i].d = product.d;
  }
}

} // namespace

TEST_CASE("An allreduce by the team gives native MPI's bits where nothing rounds") {
  Helpers helpers;
  Draw shared(seed());
  const auto pairs = defined_pairs();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (int repetition = 0; repetition < 12; ++repetition) {
      const auto [op, type] = shared.of(pairs);
      MPI_Aint lower = 0;
      MPI_Aint extent = 1;
      PMPI_Type_get_extent(type, &lower, &extent);
      const int count = shared.bytes(2 << 20) / static_cast<int>(extent);
      const bool in_place = shared.coin();
      INFO("ranks " << comm.size() << ", op " << op << ", type " << type << ", count " << count
                    << ", in place " << in_place);
      compare(helpers, own, type, count, op, in_place, comm);
    }
  }
}

TEST_CASE("An allreduce by the team covers every operation on every type") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const auto& [op, type] : defined_pairs()) {
    INFO("op " << op << ", type " << type);
    compare(helpers, own, type, 13, op, false, world);
  }
}

TEST_CASE("An allreduce with user-defined operations keeps the order of ranks") {
  Helpers helpers;
  Draw shared(seed());
  MPI_Op dense = MPI_OP_NULL;
  MPI_Op gappy = MPI_OP_NULL;
  PMPI_Op_create(multiply_dense, 0, &dense);
  PMPI_Op_create(multiply_gappy, 0, &gappy);
  const Type matrix(PMPI_Type_contiguous, 4, MPI_UINT32_T);
  const Type gappy_matrix(PMPI_Type_vector, 4, 1, 2, MPI_UINT32_T);
  const int extent = 4;
  const int distribution = MPI_DISTRIBUTE_BLOCK;
  const int argument = MPI_DISTRIBUTE_DFLT_DARG;
  const int processes = 1;
  const Type undecoded(PMPI_Type_create_darray, 1, 0, 1, &extent, &distribution, &argument, &processes,
                       MPI_ORDER_C, MPI_UINT32_T);
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    compare(helpers, own, undecoded, 5000, dense, false, comm);
    for (int repetition = 0; repetition < 4; ++repetition) {
      const int count = shared.bytes(1 << 20) / 16;
      const bool in_place = shared.coin();
      INFO("ranks " << comm.size() << ", count " << count << ", in place " << in_place);
      compare(helpers, own, matrix, count, dense, in_place, comm);
      compare(helpers, own, gappy_matrix, count, gappy, in_place, comm);
    }
  }
  PMPI_Op_free(&dense);
  PMPI_Op_free(&gappy);
}

TEST_CASE("Floating-point sums are the same on all ranks and in all runs, and within the error bound") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (int count : {1, 100, 2048, 2049, 50001, 300007}) {
    const auto size = static_cast<std::size_t>(count);
    std::vector<double> input(size);
    for (double& value : input) value = std::ldexp(own.upto(1 << 20) - (1 << 19), own.upto(40) - 20);
    std::vector<double> first(size);
    std::vector<double> second(size);
    helpers.phase([&] { MPI_Allreduce(input.data(), first.data(), count, MPI_DOUBLE, MPI_SUM, world); });
    helpers.phase([&] { MPI_Allreduce(input.data(), second.data(), count, MPI_DOUBLE, MPI_SUM, world); });
    REQUIRE(std::memcmp(first.data(), second.data(), size * sizeof(double)) == 0);

    std::vector<double> of_root = first;
    PMPI_Bcast(of_root.data(), count, MPI_DOUBLE, 0, world);
    REQUIRE(std::memcmp(first.data(), of_root.data(), size * sizeof(double)) == 0);

    std::vector<long double> exact(input.begin(), input.end());
    std::vector<long double> magnitude(size);
    std::ranges::transform(exact, magnitude.begin(), [](long double value) { return std::fabs(value); });
    PMPI_Allreduce(MPI_IN_PLACE, exact.data(), count, MPI_LONG_DOUBLE, MPI_SUM, world);
    PMPI_Allreduce(MPI_IN_PLACE, magnitude.data(), count, MPI_LONG_DOUBLE, MPI_SUM, world);
    const long double unit = std::numeric_limits<double>::epsilon() / 2;
    bool within = true;
    for (std::size_t i = 0; i < size; ++i) {
      within = within &&
               std::fabs(static_cast<long double>(first[i]) - exact[i]) <= world.size() * unit * magnitude[i];
    }
    REQUIRE(within);
  }
}

TEST_CASE("Large and small messages on communicators that come and go") {
  Helpers helpers;
  for (int repetition = 0; repetition < 40; ++repetition) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const Comm comm(copy);
    std::vector<int> values(repetition % 2 == 0 ? 1 : 30000, 1);
    helpers.phase([&] {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_SUM, comm);
    });
    REQUIRE(values == std::vector<int>(values.size(), comm.size()));
  }
}

TEST_CASE("Allreduces that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm self(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int in = 1;
  int out = 0;
  std::vector<int> carried;
  std::vector<int> native;
  const auto collect = [&](auto call, std::vector<int>& classes) {
    classes.push_back(class_of(call(&in, &out, 1, MPI_DATATYPE_NULL, MPI_SUM, self)));
    classes.push_back(class_of(call(&in, &out, 1, MPI_INT, MPI_OP_NULL, self)));
    classes.push_back(class_of(call(&in, &out, 1, MPI_DOUBLE, MPI_BAND, self)));
    classes.push_back(class_of(call(&in, &in, 1, MPI_INT, MPI_SUM, self)));
    classes.push_back(class_of(call(nullptr, &out, 1, MPI_INT, MPI_SUM, self)));
    classes.push_back(class_of(call(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL)));
  };
  helpers.phase([&] { collect(MPI_Allreduce, carried); });
  collect(PMPI_Allreduce, native);
  REQUIRE(carried == native);
  REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
}
