// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>

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

/// Open MPI 4 may saturate sums of small integers, and has its own idea of the sign of MPI_OFFSET and of
/// truth values above 1.
bool has_native_bits(MPI_Op op, MPI_Datatype type) {
  if (MPI_VERSION >= 4) return true;
  int size = 0;
  PMPI_Type_size(type, &size);
  const bool is_small_sum = op == MPI_SUM && size < static_cast<int>(sizeof(int));
  return !is_small_sum && type != MPI_OFFSET && type != MPI_C_BOOL;
}

std::vector<std::pair<MPI_Op, MPI_Datatype>> defined_pairs() {
  std::vector<std::pair<MPI_Op, MPI_Datatype>> pairs;
  for (const Kind& kind : kinds()) {
    for (MPI_Datatype type : kind.types) {
      for (MPI_Op op : kind.operations)
        if (has_native_bits(op, type)) pairs.emplace_back(op, type);
    }
  }
  return pairs;
}

/// Of complex factors the order decides which sign a zero has.
template <class Real>
void clear_signs_of_zeros(std::vector<unsigned char>& bytes) {
  for (std::size_t at = 0; at + sizeof(Real) <= bytes.size(); at += sizeof(Real)) {
    Real value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (value == 0) std::memset(bytes.data() + at, 0, sizeof value);
  }
}

/// Clears what may differ. A long double has bytes that belong to no value; they may hold anything.
void clear_padding(std::vector<unsigned char>& bytes, MPI_Datatype type) {
  if (type == MPI_C_FLOAT_COMPLEX) clear_signs_of_zeros<float>(bytes);
  if (type == MPI_C_DOUBLE_COMPLEX) clear_signs_of_zeros<double>(bytes);
  if (type != MPI_LONG_DOUBLE && type != MPI_LONG_DOUBLE_INT) return;
  constexpr std::size_t significant = 10; // of the x87 format
  const std::size_t extent = type == MPI_LONG_DOUBLE ? sizeof(long double) : 2 * sizeof(long double);
  for (std::size_t at = 0; at + sizeof(long double) <= bytes.size(); at += extent) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + significant),
                sizeof(long double) - significant, 0);
  }
}

/// A call of a reduction. All ranks give the same.
struct Call {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Datatype type = MPI_INT;
  MPI_Op op = MPI_SUM;
  int count = 1;
  std::vector<int> counts{}; ///< of MPI_Reduce_scatter, one for each rank
  int root = 0;
};

template <auto Function>
int plain(const Call& call, const void* send, void* receive) {
  return Function(send, receive, call.count, call.type, call.op, call.comm);
}

template <auto Function>
int rooted(const Call& call, const void* send, void* receive) {
  return Function(send, receive, call.count, call.type, call.op, call.root, call.comm);
}

/// PMPI_Reduce of MPICH 4.0.2 gives wrong results over several nodes (docs/several-machines.md).
int native_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ireduce(send, receive, count, type, op, root, comm, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  return code;
}

template <auto Function, class Count>
int scattered(const Call& call, const void* send, void* receive) {
  const std::vector<Count> counts(call.counts.begin(), call.counts.end());
  return Function(send, receive, counts.data(), call.type, call.op, call.comm);
}

int count_of(const Call& call, int) {
  return call.count;
}
int count_for_each(const Call& call, int ranks) {
  return call.count * ranks;
}
int own_count(const Call& call, int rank) {
  return call.counts[static_cast<std::size_t>(rank)];
}
int all_counts(const Call& call, int) {
  return std::accumulate(call.counts.begin(), call.counts.end(), 0);
}

/// The reductions of MPI.
struct Operation {
  const char* name;
  bool has_root;                                   ///< which alone receives, and may give MPI_IN_PLACE
  int (*contributes)(const Call& call, int ranks); ///< elements of every rank
  int (*receives)(const Call& call, int rank);     ///< elements
  int (*carried)(const Call& call, const void* send, void* receive);
  int (*native)(const Call& call, const void* send, void* receive);
};

// clang-format off
const std::vector<Operation> operations{
    {"Allreduce", false, count_of, count_of, plain<MPI_Allreduce>, plain<PMPI_Allreduce>},
    {"Reduce", true, count_of, count_of, rooted<MPI_Reduce>, rooted<native_reduce>},
    {"Reduce_scatter", false, all_counts, own_count, scattered<MPI_Reduce_scatter, int>,
     scattered<PMPI_Reduce_scatter, int>},
    {"Reduce_scatter_block", false, count_for_each, count_of, plain<MPI_Reduce_scatter_block>,
     plain<PMPI_Reduce_scatter_block>},
    {"Scan", false, count_of, count_of, plain<MPI_Scan>, plain<PMPI_Scan>},
    {"Exscan", false, count_of, count_of, plain<MPI_Exscan>, plain<PMPI_Exscan>},
#if MPI_VERSION >= 4
    {"Allreduce_c", false, count_of, count_of, plain<MPI_Allreduce_c>, plain<PMPI_Allreduce>},
    {"Reduce_c", true, count_of, count_of, rooted<MPI_Reduce_c>, rooted<native_reduce>},
    {"Reduce_scatter_c", false, all_counts, own_count, scattered<MPI_Reduce_scatter_c, MPI_Count>,
     scattered<PMPI_Reduce_scatter, int>},
    {"Reduce_scatter_block_c", false, count_for_each, count_of, plain<MPI_Reduce_scatter_block_c>,
     plain<PMPI_Reduce_scatter_block>},
    {"Scan_c", false, count_of, count_of, plain<MPI_Scan_c>, plain<PMPI_Scan>},
    {"Exscan_c", false, count_of, count_of, plain<MPI_Exscan_c>, plain<PMPI_Exscan>},
#endif
};
// clang-format on

/// A call in which a rank contributes or receives about so many bytes.
Call draw_call(Draw& shared, const Comm& comm, MPI_Datatype type, MPI_Op op, int bytes) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 1;
  PMPI_Type_get_extent(type, &lower, &extent);
  Call call{comm, type, op, bytes / static_cast<int>(std::abs(extent))};
  call.root = shared.upto(comm.size() - 1);
  for (int rank = 0, left = call.count; rank < comm.size(); ++rank) {
    const bool takes_all_left = shared.upto(comm.size()) == 0;
    call.counts.push_back(takes_all_left ? left : shared.upto(left));
    left -= call.counts.back();
  }
  shared.shuffle(call.counts);
  return call;
}

std::vector<unsigned char> packed(Buffer& buffer, MPI_Datatype type, int count) {
  int size = 0;
  PMPI_Type_size(type, &size);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size * count));
  int position = 0;
  PMPI_Pack(buffer.address(), count, type, bytes.data(), size * count, &position, MPI_COMM_SELF);
  return bytes;
}

/// The call by native MPI, `elements` in the buffers. MPICH 4.0.2 writes beyond its own buffers where derived
/// types begin before their address, so `oracle`, the same call on a dense type, is made instead.
void call_natively(const Operation& operation, const Call& call, const Call& oracle, Buffer& source,
                   Buffer& target, int elements) {
  if (oracle.type == call.type) {
    operation.native(call, source.address(), target.address()); // in place, MPI_Reduce crashes at some roots
    return;
  }
  const std::vector<unsigned char> in = packed(source, call.type, elements);
  std::vector<unsigned char> out = packed(target, call.type, elements);
  operation.native(oracle, in.data(), out.data());
  int position = 0;
  PMPI_Unpack(out.data(), static_cast<int>(out.size()), &position, target.address(), elements, call.type,
              MPI_COMM_SELF);
}

/// Whether MPICH 4.0.2 aborts in place: it copies the results of MPI_Reduce_scatter over what may overlap
/// them. The library leaves to it what it compares as if it were signed.
bool aborts_in_place(const Operation& operation, const Call& call) {
  const std::array types{MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UINT64_T};
  return std::string_view(operation.name).starts_with("Reduce_scatter") &&
         (call.op == MPI_MAX || call.op == MPI_MIN) && std::ranges::find(types, call.type) != types.end();
}

/// Makes the call in a phase and natively with the same input. The results must be the same bytes, and
/// everything else in the buffers must be as it was.
void compare(Helpers& helpers, Draw& shared, Draw& own, const Operation& operation, const Call& call,
             const Call& oracle, const Comm& comm) {
  const bool all_in_place = shared.coin() && !aborts_in_place(operation, call);
  INFO(operation.name << ", ranks " << comm.size() << ", op " << call.op << ", type " << call.type
                      << ", count " << call.count << ", root " << call.root << ", in place " << all_in_place);
  const int contributes = operation.contributes(call, comm.size());
  const bool in_place = all_in_place && (!operation.has_root || comm.rank() == call.root);
  Buffer input(call.type, contributes);
  fill(input.bytes, call.type, own);
  Buffer source = input;
  Buffer carried = input;
  if (!in_place) std::ranges::fill(carried.bytes, static_cast<unsigned char>(0xa5));
  Buffer native = carried;
  int code = MPI_ERR_OTHER;
  helpers.phase(
      [&] { code = operation.carried(call, in_place ? MPI_IN_PLACE : source.address(), carried.address()); });
  call_natively(operation, call, oracle, source, native, contributes);
  REQUIRE(code == MPI_SUCCESS);
  REQUIRE(source.bytes == input.bytes);
  clear_padding(carried.bytes, call.type);
  clear_padding(native.bytes, call.type);
  const int receives = operation.receives(call, comm.rank());
  if (in_place && receives < contributes) { // MPI leaves the rest undefined
    const Span result(call.type, receives);
    const auto end = receives == 0 ? 0 : result.end - native.span.begin;
    carried.bytes.resize(static_cast<std::size_t>(end));
    native.bytes.resize(static_cast<std::size_t>(end));
  }
  REQUIRE(carried.bytes == native.bytes);
}

/// Multiplication of 2 x 2 matrices modulo 2^32: associative, exact, not commutative. An element is some
/// matrices, as MPI packs them.
void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  using Matrix = std::array<std::uint32_t, 4>;
  int size = 0;
  PMPI_Type_size(*type, &size);
  const int bytes = *count * size;
  std::vector<Matrix> left(static_cast<std::size_t>(bytes) / sizeof(Matrix));
  std::vector<Matrix> right(left.size());
  for (const auto& [packed, from] : {std::pair(&left, in), std::pair(&right, inout)}) {
    int position = 0;
    PMPI_Pack(from, *count, *type, packed->data(), bytes, &position, MPI_COMM_SELF);
  }
  std::ranges::transform(left, right, right.begin(), [](const Matrix& x, const Matrix& y) {
    return Matrix{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                  x[2] * y[1] + x[3] * y[3]};
  });
  int position = 0;
  PMPI_Unpack(right.data(), bytes, &position, inout, *count, *type, MPI_COMM_SELF);
}

/// That operation.
class Multiplication {
public:
  Multiplication() { PMPI_Op_create(multiply, 0, &op_); }
  Multiplication(const Multiplication&) = delete;
  Multiplication& operator=(const Multiplication&) = delete;
  ~Multiplication() { PMPI_Op_free(&op_); }
  operator MPI_Op() const { return op_; }

private:
  MPI_Op op_ = MPI_OP_NULL;
};

/// Elements of some matrices, of the same type at all ranks.
Type draw_matrices(Draw& shared, const Family& family, int matrices) {
  const Elements elements = family.make(shared, 4 * matrices);
  return Type(PMPI_Type_contiguous, elements.count, elements.type);
}

/// Double-precision addends of very different magnitudes.
std::vector<double> draw_addends(Draw& own, int count) {
  std::vector<double> addends(static_cast<std::size_t>(count));
  for (double& value : addends) value = std::ldexp(own.upto(1 << 20) - (1 << 19), own.upto(40) - 20);
  return addends;
}

Call sum_of(const Comm& comm, MPI_Datatype type, int count) {
  Call call{comm, type, MPI_SUM, count};
  call.counts.resize(static_cast<std::size_t>(comm.size()), count / comm.size());
  call.root = comm.size() - 1;
  return call;
}

/// How often to repeat what two ranks repeat `most` times: more ranks than processors crawl.
int repetitions(int most) {
  const int ranks = std::max(2, Comm(MPI_COMM_WORLD).size());
  return std::max(1, 4 * most / (ranks * ranks));
}

} // namespace

TEST_CASE("A reduction by the team gives native MPI's bits where nothing rounds") {
  Helpers helpers;
  Draw shared(seed());
  const auto pairs = defined_pairs();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : operations) {
      for (int repetition = 0; repetition < repetitions(3); ++repetition) {
        const auto [op, type] = shared.of(pairs);
        const Call call = draw_call(shared, comm, type, op, shared.bytes(2 << 20));
        compare(helpers, shared, own, operation, call, call, comm);
      }
    }
  }
}

TEST_CASE("Reductions by the team cover every operation on every type") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw shared(seed());
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  auto pairs = defined_pairs();
  shared.shuffle(pairs);
  pairs.resize(static_cast<std::size_t>(repetitions(static_cast<int>(pairs.size()))));
  for (const auto& [op, type] : pairs) {
    for (const int bytes : {400, 40000}) {
      const Call call = draw_call(shared, world, type, op, bytes);
      compare(helpers, shared, own, shared.of(operations), call, call, world);
    }
  }
}

TEST_CASE("Reductions with user-defined operations keep the order of ranks, whatever the type") {
  Helpers helpers;
  Draw shared(seed());
  const Multiplication multiplication;
  std::vector<Family> shuffled = families();
  shared.shuffle(shuffled);
  std::size_t turn = 0;
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : operations) {
      for (int repetition = 0; repetition < repetitions(3); ++repetition) {
        const Family& family = shuffled[turn++ % shuffled.size()];
        const int matrices = shared.of({1, 1, 3, 40});
        const Type type = draw_matrices(shared, family, matrices);
        INFO(family.name << ", matrices in an element " << matrices);
        const Call call = draw_call(shared, comm, type, multiplication, shared.bytes(1 << 20));
        Call oracle = call;
        const Type dense(PMPI_Type_contiguous, 4 * matrices, MPI_UINT32_T);
        oracle.type = dense;
        compare(helpers, shared, own, operation, call, oracle, comm);
      }
    }
  }
}

TEST_CASE("Floating-point sums are within the error bound") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const Operation& operation : operations) {
    for (int count : {1, 1000, 2049, 50001}) {
      const Call call = sum_of(world, MPI_DOUBLE, count);
      const Call exact_call = sum_of(world, MPI_LONG_DOUBLE, count);
      const auto contributes = static_cast<std::size_t>(operation.contributes(call, world.size()));
      const std::vector<double> input = draw_addends(own, static_cast<int>(contributes));
      std::vector<double> sums(contributes);
      helpers.phase([&] { operation.carried(call, input.data(), sums.data()); });

      const std::vector<long double> addends(input.begin(), input.end());
      std::vector<long double> magnitudes(contributes);
      std::ranges::transform(addends, magnitudes.begin(), [](long double value) { return std::fabs(value); });
      std::vector<long double> exact(contributes);
      std::vector<long double> bounds(contributes);
      operation.native(exact_call, addends.data(), exact.data());
      operation.native(exact_call, magnitudes.data(), bounds.data());
      const long double unit = std::numeric_limits<double>::epsilon() / 2;
      bool within = true;
      for (std::size_t i = 0; i < contributes; ++i) {
        const long double error = std::fabs(static_cast<long double>(sums[i]) - exact[i]);
        within = within && error <= world.size() * unit * bounds[i];
      }
      INFO(operation.name << ", count " << count);
      REQUIRE(within);
    }
  }
}

TEST_CASE("Floating-point sums have the same bits for every size of the team and in every run") {
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const Operation& operation : operations) {
    for (int count : {100, 50001}) {
      const Call call = sum_of(world, MPI_DOUBLE, count);
      const std::vector<double> input = draw_addends(own, operation.contributes(call, world.size()));
      std::vector<double> first;
      for (int size : {1, 2, 3, 1, 3}) {
        Helpers helpers(size);
        std::vector<double> sums(input.size());
        helpers.phase([&] { operation.carried(call, input.data(), sums.data()); });
        if (first.empty()) first = sums;
        INFO(operation.name << ", count " << count << ", team of " << size);
        REQUIRE(std::memcmp(first.data(), sums.data(), sums.size() * sizeof(double)) == 0);
      }
    }
  }
}

TEST_CASE("Floating-point sums of an allreduce have the same bits at all ranks") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (int count : {100, 50001}) {
    std::vector<double> sums = draw_addends(own, count);
    helpers.phase([&] { MPI_Allreduce(MPI_IN_PLACE, sums.data(), count, MPI_DOUBLE, MPI_SUM, world); });
    std::vector<double> of_root = sums;
    PMPI_Bcast(of_root.data(), count, MPI_DOUBLE, 0, world);
    REQUIRE(std::memcmp(sums.data(), of_root.data(), sums.size() * sizeof(double)) == 0);
  }
}

TEST_CASE("Large and small messages on communicators that come and go") {
  Helpers helpers;
  for (int repetition = 0; repetition < repetitions(40); ++repetition) {
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

TEST_CASE("Reductions between two groups are MPI's") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  Helpers helpers;
  const int side = world.rank() % 2;
  const Comm inter = between_groups(side == 0);
  int others = 0;
  PMPI_Comm_remote_size(inter, &others);
  const int one = 1;
  int all = 0;
  int at_root = 0;
  const int root = side == 1 ? 0 : inter.rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
  helpers.phase([&] {
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, inter);
    MPI_Reduce(&one, &at_root, 1, MPI_INT, MPI_SUM, root, inter);
  });
  REQUIRE(all == others);
  REQUIRE(at_root == (root == MPI_ROOT ? others : 0));
}

TEST_CASE("Reductions that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  std::vector<int> in(static_cast<std::size_t>(world.size()));
  std::vector<int> out(in.size());
  std::vector<Call> calls(4, sum_of(world, MPI_INT, world.size()));
  calls[0].type = MPI_DATATYPE_NULL;
  calls[1].op = MPI_OP_NULL;
  calls[2].type = MPI_FLOAT;
  calls[2].op = MPI_BAND;
  calls[3].comm = MPI_COMM_NULL;
  for (const Operation& operation : operations) {
    std::vector<int> carried;
    std::vector<int> native;
    const auto collect = [&](auto function, std::vector<int>& classes) {
      for (const Call& call : calls) classes.push_back(class_of(function(call, in.data(), out.data())));
      if (operation.has_root) {
        Call call = calls.front();
        call.type = MPI_INT;
        for (const int root : {-1, world.size()}) {
          call.root = root;
          classes.push_back(class_of(function(call, in.data(), out.data())));
        }
      } else if (MPI_VERSION >= 4) { // Open MPI 4 does not mind where buffers are
        Call call = calls.front();
        call.type = MPI_INT;
        classes.push_back(class_of(function(call, nullptr, out.data())));
      }
    };
    helpers.phase([&] { collect(operation.carried, carried); });
    collect(operation.native, native);
    INFO(operation.name);
    REQUIRE(carried == native);
    REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
  }
}
