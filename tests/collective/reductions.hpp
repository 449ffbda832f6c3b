// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collective/cases.hpp"
#include "support/mpi_support.hpp"

/// Compares random reductions of all kinds with native MPI.
namespace test_support::reductions {

/// Types, and the operations that the MPI standard defines on each of them (MPI-4.0, section 6.9.2). The list
/// stands here because native MPI cannot be asked: it aborts on some undefined pairs.
struct Kind {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Op> operations;
};

inline const std::vector<Kind>& kinds() {
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

inline bool is_floating(MPI_Datatype type) {
  const std::array floating{MPI_FLOAT,           MPI_DOUBLE,           MPI_LONG_DOUBLE,
                            MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT,
                            MPI_DOUBLE_INT,      MPI_LONG_DOUBLE_INT};
  return std::ranges::find(floating, type) != floating.end();
}

/// Fills a buffer with small powers of two. Floating-point sums and products of the values of a few ranks are
/// then exact.
template <class Real>
void fill_exact(std::vector<unsigned char>& bytes, Draw& draw) {
  for (std::size_t at = 0; at + sizeof(Real) <= bytes.size(); at += sizeof(Real)) {
    const Real value = static_cast<Real>(1 << draw.upto(2));
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

inline void fill(std::vector<unsigned char>& bytes, MPI_Datatype type, Draw& draw) {
  if (!is_floating(type)) {
    draw.fill(bytes);
    if (type == MPI_C_BOOL) // other values are undefined: MPICH 4.2 and Open MPI disagree on them
      for (unsigned char& byte : bytes) byte &= 1;
  } else if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX || type == MPI_FLOAT_INT) {
    fill_exact<float>(bytes, draw);
  } else if (type == MPI_LONG_DOUBLE || type == MPI_LONG_DOUBLE_INT) {
    fill_exact<long double>(bytes, draw);
  } else {
    fill_exact<double>(bytes, draw);
  }
}

/// Returns whether results must have the bits of native MPI. Not so with Open MPI: it may saturate sums of
/// small integers, and treats the sign of MPI_OFFSET differently.
inline bool has_native_bits(MPI_Op op, MPI_Datatype type) {
  if (!is_open_mpi()) return true;
  int size = 0;
  PMPI_Type_size(type, &size);
  const bool is_small_sum = op == MPI_SUM && size < static_cast<int>(sizeof(int));
  return !is_small_sum && type != MPI_OFFSET;
}

inline std::vector<std::pair<MPI_Op, MPI_Datatype>> defined_pairs() {
  std::vector<std::pair<MPI_Op, MPI_Datatype>> pairs;
  for (const Kind& kind : kinds()) {
    for (MPI_Datatype type : kind.types) {
      for (MPI_Op op : kind.operations)
        if (has_native_bits(op, type)) pairs.emplace_back(op, type);
    }
  }
  return pairs;
}

/// Clears the signs of zeros. In complex products they depend on the order of factors.
template <class Real>
void clear_signs_of_zeros(std::vector<unsigned char>& bytes) {
  for (std::size_t at = 0; at + sizeof(Real) <= bytes.size(); at += sizeof(Real)) {
    Real value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (value == 0) std::memset(bytes.data() + at, 0, sizeof value);
  }
}

/// Clears bytes that may differ: the padding of long double, and signs of zeros in complex numbers.
inline void clear_padding(std::vector<unsigned char>& bytes, MPI_Datatype type) {
  if (type == MPI_C_FLOAT_COMPLEX) clear_signs_of_zeros<float>(bytes);
  if (type == MPI_C_DOUBLE_COMPLEX) clear_signs_of_zeros<double>(bytes);
  if (type != MPI_LONG_DOUBLE && type != MPI_LONG_DOUBLE_INT) return;
  constexpr std::size_t significant = 10; // bytes of the x87 format
  const std::size_t extent = type == MPI_LONG_DOUBLE ? sizeof(long double) : 2 * sizeof(long double);
  for (std::size_t at = 0; at + sizeof(long double) <= bytes.size(); at += extent) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + significant),
                sizeof(long double) - significant, 0);
  }
}

/// The arguments of a reduction, equal at all ranks.
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

/// Replaces PMPI_Reduce, which gives wrong results on several nodes with MPICH 4.0.2 (docs/mpi-faults.md).
inline int native_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
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

inline int count_of(const Call& call, int) {
  return call.count;
}
inline int count_for_each(const Call& call, int ranks) {
  return call.count * ranks;
}
inline int own_count(const Call& call, int rank) {
  return call.counts[static_cast<std::size_t>(rank)];
}
inline int all_counts(const Call& call, int) {
  return std::accumulate(call.counts.begin(), call.counts.end(), 0);
}

/// A reduction of MPI.
struct Operation {
  const char* name;
  bool has_root;                                   ///< only the root receives or passes MPI_IN_PLACE
  int (*contributes)(const Call& call, int ranks); ///< elements that every rank contributes
  int (*receives)(const Call& call, int rank);     ///< elements that the rank receives
  int (*carried)(const Call& call, const void* send, void* receive);
  int (*native)(const Call& call, const void* send, void* receive);
};

// clang-format off
inline const std::vector<Operation> operations{
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

/// Draws a call in which a rank contributes or receives about `bytes` bytes.
inline Call draw_call(Draw& shared, const Comm& comm, MPI_Datatype type, MPI_Op op, int bytes) {
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

inline std::vector<unsigned char> packed(Buffer& buffer, MPI_Datatype type, int count) {
  int size = 0;
  PMPI_Type_size(type, &size);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size * count));
  int position = 0;
  if (!bytes.empty()) // Open MPI 5 rejects null pointers
    PMPI_Pack(buffer.address(), count, type, bytes.data(), size * count, &position, MPI_COMM_SELF);
  return bytes;
}

/// Returns the position of `op` among the operations of MPI, from MPI_MAX on: operations have no names.
inline std::ptrdiff_t number_of(MPI_Op op) {
  const std::array all{MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                       MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  return std::ranges::find(all, op) - all.begin();
}

inline std::string type_name(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Type_get_name(type, name.data(), &length);
  return name.data();
}

/// Makes the call with native MPI. The buffers have `elements` elements. MPICH 4.0.2 writes beyond its own
/// buffers if a derived type begins before its address. Then `oracle` is made instead: the same call on a
/// contiguous type.
inline void call_natively(const Operation& operation, const Call& call, const Call& oracle, Buffer& source,
                          Buffer& target, int elements) {
  if (oracle.type == call.type) {
    operation.native(call, source.address(), target.address()); // MPI_IN_PLACE would crash MPI_Reduce
    return;
  }
  const std::vector<unsigned char> in = packed(source, call.type, elements);
  std::vector<unsigned char> out = packed(target, call.type, elements);
  operation.native(oracle, in.data(), out.data());
  int position = 0;
  if (!out.empty())
    PMPI_Unpack(out.data(), static_cast<int>(out.size()), &position, target.address(), elements, call.type,
                MPI_COMM_SELF);
}

/// Returns whether the call would abort with MPI_IN_PLACE, as MPI_Reduce_scatter of MPICH 4.0.2 does. It
/// concerns only calls that the library leaves to MPI: MPI_MAX and MPI_MIN of unsigned integers.
inline bool aborts_in_place(const Operation& operation, const Call& call) {
  const std::array types{MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UINT64_T};
  const bool is_left =
      (call.op == MPI_MAX || call.op == MPI_MIN) && std::ranges::find(types, call.type) != types.end();
  return is_left && std::string_view(operation.name).starts_with("Reduce_scatter");
}

/// Makes the call with `in_phase(call)`, and natively with the same input. The results must be equal bytes,
/// and the rest of the buffers must be unchanged. Returns what differs, or an empty text. Collective over
/// `comm`: all arguments but `own` are equal at all ranks.
template <class InPhase>
std::string difference(const InPhase& in_phase, Draw& shared, Draw& own, const Operation& operation,
                       const Call& call, const Call& oracle, const Comm& comm) {
  const bool all_in_place = shared.coin() && !aborts_in_place(operation, call);
  const int contributes = operation.contributes(call, comm.size());
  const bool in_place = all_in_place && (!operation.has_root || comm.rank() == call.root);
  Buffer input(call.type, contributes);
  fill(input.bytes, call.type, own);
  Buffer source = input;
  Buffer carried = input;
  if (!in_place) std::ranges::fill(carried.bytes, static_cast<unsigned char>(0xa5));
  Buffer native = carried;
  int code = MPI_ERR_OTHER;
  in_phase(
      [&] { code = operation.carried(call, in_place ? MPI_IN_PLACE : source.address(), carried.address()); });
  call_natively(operation, call, oracle, source, native, contributes);
  clear_padding(carried.bytes, call.type);
  clear_padding(native.bytes, call.type);
  const int receives = operation.receives(call, comm.rank());
  if (in_place && receives < contributes) { // what follows the result is undefined
    const Span result(call.type, receives);
    const auto end = receives == 0 ? 0 : result.end - native.span.begin;
    carried.bytes.resize(static_cast<std::size_t>(end));
    native.bytes.resize(static_cast<std::size_t>(end));
  }
  const char* const wrong = code != MPI_SUCCESS             ? "an error"
                            : source.bytes != input.bytes   ? "the input has changed"
                            : carried.bytes != native.bytes ? "the result"
                                                            : nullptr;
  if (wrong == nullptr) return {};
  return fmt::format("{}: {}, ranks {}, op {}, type {}, count {}, root {}, in place {}", wrong,
                     operation.name, comm.size(), number_of(call.op), type_name(call.type), call.count,
                     call.root, all_in_place);
}

using Matrix = std::array<std::uint32_t, 4>;

/// The extent of an element and the offsets of its numbers, in packed order. The functions of operations look
/// them up here, because helpers that call such a function must not ask MPI.
struct Numbers {
  MPI_Aint extent;
  std::vector<MPI_Aint> places;
};

class NumbersOfTypes {
public:
  /// Finds the offsets in a type of 4-byte numbers. Call it before the type is used.
  static void add(MPI_Datatype type) {
    Buffer element(type, 1);
    int size = 0;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lower_bound, &extent);
    std::vector<unsigned char> packed(static_cast<std::size_t>(size));
    Numbers numbers{extent, std::vector<MPI_Aint>(packed.size() / sizeof(std::uint32_t), element.span.begin)};
    for (int shift = 0; shift < 32; shift += 8) { // bytes contain 8 bits of their own offsets
      for (std::size_t i = 0; i < element.bytes.size(); ++i)
        element.bytes[i] = static_cast<unsigned char>(i >> shift);
      int position = 0;
      PMPI_Pack(element.address(), 1, type, packed.data(), size, &position, MPI_COMM_SELF);
      for (std::size_t i = 0; i < numbers.places.size(); ++i)
        numbers.places[i] += MPI_Aint{packed[sizeof(std::uint32_t) * i]} << shift;
    }
    const std::lock_guard lock(mutex);
    all[type] = std::make_shared<const Numbers>(std::move(numbers));
  }

  static std::shared_ptr<const Numbers> of(MPI_Datatype type) {
    const std::lock_guard lock(mutex);
    return all.at(type);
  }

private:
  static inline std::mutex mutex;
  static inline std::map<MPI_Datatype, std::shared_ptr<const Numbers>> all;
};

/// The function of a user-defined operation on elements of 2 x 2 matrices, in the order in which MPI packs
/// them. It computes modulo 2^32: exactly and associatively. NumbersOfTypes must know the type.
template <auto combine, class Count>
void combine_matrices(void* in, void* inout, Count* count, MPI_Datatype* type) {
  const auto numbers = NumbersOfTypes::of(*type);
  const auto matrix_at = [&](void* base, MPI_Aint element, std::size_t first, const auto& copy) {
    for (std::size_t i = 0; i < 4; ++i)
      copy(i, static_cast<unsigned char*>(base) + element * numbers->extent + numbers->places[first + i]);
  };
  for (MPI_Aint element = 0; element < *count; ++element) {
    for (std::size_t first = 0; first < numbers->places.size(); first += 4) {
      Matrix left{}, right{};
      const auto read_to = [](Matrix& matrix) {
        return [&](std::size_t i, const void* from) { std::memcpy(&matrix[i], from, sizeof matrix[i]); };
      };
      matrix_at(in, element, first, read_to(left));
      matrix_at(inout, element, first, read_to(right));
      const Matrix made = combine(left, right);
      matrix_at(inout, element, first,
                [&](std::size_t i, void* to) { std::memcpy(to, &made[i], sizeof made[i]); });
    }
  }
}

inline Matrix product(const Matrix& x, const Matrix& y) {
  return {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
          x[2] * y[1] + x[3] * y[3]};
}
inline Matrix sum(const Matrix& x, const Matrix& y) {
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]};
}

/// A user-defined operation on matrices. If `commutes`, it adds, and its function has large counts if MPI
/// supports them. Otherwise it multiplies.
class MatrixOperation {
public:
  explicit MatrixOperation(bool commutes) {
    if (!commutes)
      MPI_Op_create(combine_matrices<product, int>, 0, &op_);
    else
#if MPI_VERSION >= 4
      MPI_Op_create_c(combine_matrices<sum, MPI_Count>, 1, &op_);
#else
      MPI_Op_create(combine_matrices<sum, int>, 1, &op_);
#endif
  }
  MatrixOperation(const MatrixOperation&) = delete;
  MatrixOperation& operator=(const MatrixOperation&) = delete;
  ~MatrixOperation() {
    MPI_Op_free(&op_);
  }
  operator MPI_Op() const {
    return op_;
  }

private:
  MPI_Op op_ = MPI_OP_NULL;
};

/// Makes a type of matrices, of four numbers each, for the operations above, with `constructor(arguments)`.
template <typename Constructor, typename... Arguments>
Type type_of_matrices(Constructor constructor, const Arguments&... arguments) {
  Type type(constructor, arguments...);
  NumbersOfTypes::add(type);
  return type;
}

/// Draws a type of `matrices` matrices, the same at all ranks.
inline Type draw_matrices(Draw& shared, const Family& family, int matrices) {
  const Elements elements = family.make(shared, 4 * matrices);
  return type_of_matrices(PMPI_Type_contiguous, elements.count, elements.type);
}

} // namespace test_support::reductions
