// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>

#include "collective/cases.hpp"

/// Compares the operations that move data between ranks with native MPI, with random arguments: gather,
/// scatter, allgather, alltoall and their vector forms.
namespace test_support::moves {

/// What all ranks know of a call.
struct Shape {
  const Comm& comm;
  int root;
  bool in_place;
  int unit;                           // in ints; the size of every block is a multiple of it
  std::vector<std::vector<int>> ints; // [from][to]
};

/// The layout of the blocks in a buffer: consecutive, at displacements, or each with its own type.
enum class Form { consecutive, placed, typed };

/// The buffer of one rank, with blocks of `ints` ints. Each rank draws its types from `families` alone.
class Side {
public:
  Side(Draw& own, Form form, int unit, const std::vector<int>& ints, const std::vector<Family>& families)
      : families_(families) {
    counts_.resize(ints.size());
    places_.resize(ints.size());
    std::vector<std::size_t> order(ints.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (form != Form::consecutive) own.shuffle(order);
    if (form == Form::typed) {
      place_typed(own, ints, order);
    } else {
      place(own, form, unit, ints, order);
    }
    own.fill(bytes);
    large_counts_.assign(counts_.begin(), counts_.end());
    large_places_.assign(places_.begin(), places_.end());
  }

  void* address() { return bytes.data() - begin_; }
  int count() const { return counts_.empty() ? 0 : counts_.front(); }
  MPI_Datatype type() const { return handles_.front(); }
  const MPI_Datatype* types() const { return handles_.data(); }
  template <class Integer>
  const Integer* counts() const {
    if constexpr (std::is_same_v<Integer, int>)
      return counts_.data();
    else
      return large_counts_.data();
  }
  /// Returns displacements: int if the counts are int, MPI_Aint if the counts are MPI_Count.
  template <class Integer>
  const std::conditional_t<std::is_same_v<Integer, int>, int, MPI_Aint>* places() const {
    if constexpr (std::is_same_v<Integer, int>)
      return places_.data();
    else
      return large_places_.data();
  }

  std::vector<unsigned char> bytes;

private:
  void place(Draw& own, Form form, int unit, const std::vector<int>& ints,
             const std::vector<std::size_t>& order) {
    auto [type, count] = own.of(families_).make(own, unit);
    int next = 0;
    for (const std::size_t block : order) {
      counts_[block] = unit == 0 ? 0 : ints[block] / unit * count;
      if (form == Form::placed) next += own.upto(2);
      places_[block] = next;
      next += counts_[block];
    }
    const Span span(type, next);
    begin_ = span.begin;
    bytes.resize(span.size() + 1);
    handles_.push_back(type);
    types_.push_back(std::move(type));
  }

  void place_typed(Draw& own, const std::vector<int>& ints, const std::vector<std::size_t>& order) {
    handles_.resize(ints.size(), MPI_VERSION >= 4 && !is_open_mpi() ? MPI_DATATYPE_NULL : MPI_INT);
    MPI_Aint next = 0;
    for (const std::size_t block : order) {
      if (ints[block] == 0) continue; // no elements: MPICH accepts any type here
      auto [type, count] = own.of(families_).make(own, ints[block]);
      const Span span(type, count);
      counts_[block] = count;
      places_[block] = static_cast<int>(next - span.begin);
      next += static_cast<MPI_Aint>(span.size()) + own.upto(9);
      handles_[block] = type;
      types_.push_back(std::move(type));
    }
    bytes.resize(static_cast<std::size_t>(next) + 1);
  }

  const std::vector<Family>& families_;
  std::vector<Type> types_;
  std::vector<MPI_Datatype> handles_;
  std::vector<int> counts_;
  std::vector<int> places_;
  std::vector<MPI_Count> large_counts_;
  std::vector<MPI_Aint> large_places_;
  MPI_Aint begin_ = 0;
};

enum class Pattern { gather, scatter, allgather, alltoall };

using Call =
    std::function<int(const Shape&, const void* send, const Side& out, void* receive, const Side& in)>;

struct Operation {
  const char* name;
  Pattern pattern;
  bool regular; // blocks of equal size
  Form out;
  Form in;
  Call carried;
  Call native;
};

// Each of these functions makes a Call of an MPI function with either kind of counts.

template <class Function>
Call rooted(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.count(), in.type(), shape.root, shape.comm);
  };
}

template <class Function>
Call to_all(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.count(), in.type(), shape.comm);
  };
}

template <class Integer, class Function>
Call gatherv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.counts<Integer>(), in.places<Integer>(),
                    in.type(), shape.root, shape.comm);
  };
}

template <class Integer, class Function>
Call scatterv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.type(), receive, in.count(),
                    in.type(), shape.root, shape.comm);
  };
}

template <class Integer, class Function>
Call allgatherv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.counts<Integer>(), in.places<Integer>(),
                    in.type(), shape.comm);
  };
}

// Open MPI's MPI_Gather cannot be the oracle. In its tree, a rank receives blocks for others with the type of
// its own send buffer. The elements of that type may overlap when received.
inline int native_gather(const Shape& shape, const void* send, const Side& out, void* receive,
                         const Side& in) {
  const auto ranks = static_cast<std::size_t>(shape.comm.size());
  const std::vector<int> counts(ranks, in.count());
  std::vector<int> places(ranks);
  for (std::size_t rank = 1; rank < ranks; ++rank) places[rank] = places[rank - 1] + counts[rank - 1];
  return PMPI_Gatherv(send, out.count(), out.type(), receive, counts.data(), places.data(), in.type(),
                      shape.root, shape.comm);
}

// MPI_Allgatherv of MPICH 4.0.2 cannot be the oracle. If the extents of types differ between ranks and the
// data are large, its ranks disagree about the pieces and hang.
inline int native_allgatherv(const Shape& shape, const void* send, const Side& out, void* receive,
                             const Side& in) {
  const int self = shape.comm.rank();
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(in.type(), &lower, &extent);
  const void* const own = static_cast<std::byte*>(receive) + in.places<int>()[self] * extent;
  const bool in_place = send == MPI_IN_PLACE;
  int code = MPI_SUCCESS;
  for (int root = 0; root < shape.comm.size() && code == MPI_SUCCESS; ++root) {
    code = PMPI_Gatherv(in_place ? root == self ? MPI_IN_PLACE : own : send,
                        in_place ? in.counts<int>()[self] : out.count(), in_place ? in.type() : out.type(),
                        receive, in.counts<int>(), in.places<int>(), in.type(), root, shape.comm);
  }
  return code;
}

template <class Integer, class Function>
Call alltoallv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.type(), receive,
                    in.counts<Integer>(), in.places<Integer>(), in.type(), shape.comm);
  };
}

template <class Integer, class Function>
Call alltoallw(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.types(), receive,
                    in.counts<Integer>(), in.places<Integer>(), in.types(), shape.comm);
  };
}

inline std::vector<Operation> operations() {
  using enum Form;
  using enum Pattern;
  const Form one = consecutive;
  // clang-format off
  return {
      {"Gather", gather, true, one, consecutive, rooted(MPI_Gather), native_gather},
      {"Gatherv", gather, false, one, placed, gatherv<int>(MPI_Gatherv), gatherv<int>(PMPI_Gatherv)},
      {"Scatter", scatter, true, consecutive, one, rooted(MPI_Scatter), rooted(PMPI_Scatter)},
      {"Scatterv", scatter, false, placed, one, scatterv<int>(MPI_Scatterv), scatterv<int>(PMPI_Scatterv)},
      {"Allgather", allgather, true, one, consecutive, to_all(MPI_Allgather), to_all(PMPI_Allgather)},
      {"Allgatherv", allgather, false, one, placed, allgatherv<int>(MPI_Allgatherv), native_allgatherv},
      {"Alltoall", alltoall, true, consecutive, consecutive, to_all(MPI_Alltoall), to_all(PMPI_Alltoall)},
      {"Alltoallv", alltoall, false, placed, placed, alltoallv<int>(MPI_Alltoallv),
       alltoallv<int>(PMPI_Alltoallv)},
      {"Alltoallw", alltoall, false, typed, typed, alltoallw<int>(MPI_Alltoallw),
       alltoallw<int>(PMPI_Alltoallw)},
#if MPI_VERSION >= 4
      {"Gather_c", gather, true, one, consecutive, rooted(MPI_Gather_c), native_gather},
      {"Gatherv_c", gather, false, one, placed, gatherv<MPI_Count>(MPI_Gatherv_c),
       gatherv<MPI_Count>(PMPI_Gatherv_c)},
      {"Scatter_c", scatter, true, consecutive, one, rooted(MPI_Scatter_c), rooted(PMPI_Scatter_c)},
      {"Scatterv_c", scatter, false, placed, one, scatterv<MPI_Count>(MPI_Scatterv_c),
       scatterv<MPI_Count>(PMPI_Scatterv_c)},
      {"Allgather_c", allgather, true, one, consecutive, to_all(MPI_Allgather_c), to_all(PMPI_Allgather_c)},
      {"Allgatherv_c", allgather, false, one, placed, allgatherv<MPI_Count>(MPI_Allgatherv_c), native_allgatherv},
      {"Alltoall_c", alltoall, true, consecutive, consecutive, to_all(MPI_Alltoall_c),
       to_all(PMPI_Alltoall_c)},
      {"Alltoallv_c", alltoall, false, placed, placed, alltoallv<MPI_Count>(MPI_Alltoallv_c),
       alltoallv<MPI_Count>(PMPI_Alltoallv_c)},
      {"Alltoallw_c", alltoall, false, typed, typed, alltoallw<MPI_Count>(MPI_Alltoallw_c),
       alltoallw<MPI_Count>(PMPI_Alltoallw_c)},
#endif
  };
  // clang-format on
}

inline Shape draw_shape(const Operation& operation, Draw& shared, const Comm& comm) {
  const int size = comm.size();
  const auto ranks = static_cast<std::size_t>(size);
  Shape shape{comm, shared.upto(size - 1), shared.coin(), 0, {}};
  shape.unit = shared.bytes((1 << 19) / size) / 4 / (operation.regular ? 1 : 2);
  shape.ints.assign(ranks, std::vector<int>(ranks, shape.unit));
  if (operation.regular) return shape;
  const bool by_sender = operation.pattern == Pattern::gather || operation.pattern == Pattern::allgather;
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) shape.ints[from][to] = shape.unit * shared.upto(3);
    if (by_sender) std::fill(shape.ints[from].begin(), shape.ints[from].end(), shape.ints[from].front());
  }
  if (operation.pattern != Pattern::alltoall || !shape.in_place) return shape;
  for (std::size_t from = 0; from < ranks; ++from) { // received blocks replace sent blocks of the same size
    for (std::size_t to = 0; to < from; ++to) shape.ints[from][to] = shape.ints[to][from];
  }
  return shape;
}

/// Returns the sizes of the blocks that this rank sends and of the blocks that it receives.
inline std::pair<std::vector<int>, std::vector<int>> blocks(const Operation& operation, const Shape& shape) {
  const auto self = static_cast<std::size_t>(shape.comm.rank());
  const auto root = static_cast<std::size_t>(shape.root);
  const auto& row = shape.ints[self];
  std::vector<int> column;
  for (const auto& of_rank : shape.ints) column.push_back(of_rank[self]);
  switch (operation.pattern) {
  case Pattern::gather:
    return {{row[root]}, self == root ? column : std::vector<int>{}};
  case Pattern::scatter:
    return {self == root ? row : std::vector<int>{}, {column[root]}};
  case Pattern::allgather:
    return {{row.front()}, column};
  default:
    return {row, column};
  }
}

/// Makes the call with `in_phase(call)`, and natively with the same input. `gives` and `gets` are the sizes
/// of the blocks that this rank sends and receives. The receive buffers must be equal bytes, including gaps.
/// Returns what differs, or an empty text.
template <class InPhase>
std::string difference(const InPhase& in_phase, const Operation& operation, const Shape& shape, Draw& own,
                       const std::vector<int>& gives, const std::vector<int>& gets, bool in_place) {
  const bool scatters = operation.pattern == Pattern::scatter;
  Side out(own, operation.out, shape.unit, gives, families_to_send());
  Side carried(own, operation.in, shape.unit, gets, families());
  const auto sent = out.bytes;
  const auto before = carried.bytes;
  const auto call = [&](const Call& function) {
    return function(shape, in_place && !scatters ? MPI_IN_PLACE : out.address(), out,
                    in_place && scatters ? MPI_IN_PLACE : carried.address(), carried);
  };
  int code = MPI_ERR_OTHER;
  in_phase([&] { code = call(operation.carried); });
  const auto result = carried.bytes;
  carried.bytes = before;
  const int native_code = call(operation.native);
  const char* const wrong = code != MPI_SUCCESS          ? "an error"
                            : native_code != MPI_SUCCESS ? "an error of native MPI"
                            : out.bytes != sent          ? "the input has changed"
                            : carried.bytes != result    ? "the result"
                                                         : nullptr;
  if (wrong == nullptr) return {};
  return fmt::format("{}: {}, ranks {}, root {}, unit {} ints, in place {}", wrong, operation.name,
                     shape.comm.size(), shape.root, shape.unit, shape.in_place);
}

/// Makes the call with `in_phase(call)` and natively, for the blocks of `shape`. Returns what differs, or "".
template <class InPhase>
std::string difference(const InPhase& in_phase, const Operation& operation, const Shape& shape, Draw& own) {
  const auto [gives, gets] = blocks(operation, shape);
  const bool is_root = shape.comm.rank() == shape.root;
  const bool is_rooted = operation.pattern == Pattern::scatter || operation.pattern == Pattern::gather;
  return difference(in_phase, operation, shape, own, gives, gets, shape.in_place && (is_root || !is_rooted));
}

} // namespace test_support::moves
