// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collective/cases.hpp"

/// Reduces ints in memory that a test chooses, and compares with native MPI.
namespace test_support {

enum class Function { allreduce, reduce, reduce_scatter };

/// A call. Its arguments are equal at all ranks.
struct SumOfInts {
  Function function;
  std::size_t ints;
  bool in_place;
  MPI_Op op;
  int root;
};

inline Comm world() {
  return Comm(MPI_COMM_WORLD);
}

/// Returns how many elements each rank receives in MPI_Reduce_scatter of `ints` ints. The last rank receives
/// none, unless it is the only rank.
inline std::vector<int> shares(std::size_t ints) {
  const auto owners = static_cast<std::size_t>(std::max(world().size() - 1, 1));
  std::vector<int> all(static_cast<std::size_t>(world().size()));
  std::fill_n(all.begin(), owners, static_cast<int>(ints / owners));
  all.front() += static_cast<int>(ints % owners);
  return all;
}

/// Makes the call: with native MPI, or through the library if `carried`.
inline int call(const SumOfInts& now, bool carried, const void* send, std::int32_t* receive) {
  const int count = static_cast<int>(now.ints);
  switch (now.function) {
  case Function::allreduce:
    return (carried ? MPI_Allreduce : PMPI_Allreduce)(send, receive, count, MPI_INT32_T, now.op, world());
  case Function::reduce:
    return (carried ? MPI_Reduce : PMPI_Reduce)(send, receive, count, MPI_INT32_T, now.op, now.root, world());
  default:
    return (carried ? MPI_Reduce_scatter : PMPI_Reduce_scatter)(send, receive, shares(now.ints).data(),
                                                                MPI_INT32_T, now.op, world());
  }
}

/// Returns how many ints this rank receives.
inline std::size_t results(const SumOfInts& now) {
  const auto rank = static_cast<std::size_t>(world().rank());
  if (now.function == Function::reduce_scatter) return static_cast<std::size_t>(shares(now.ints)[rank]);
  return now.function == Function::allreduce || world().rank() == now.root ? now.ints : 0;
}

/// Reduces new random data from `send` into `receive`. Returns whether native MPI gets the same result.
inline bool is_right(Helpers& helpers, const SumOfInts& now, Draw& draw, std::int32_t* send,
                     std::int32_t* receive) {
  std::vector<std::int32_t> numbers(now.ints);
  for (std::int32_t& number : numbers) number = draw.upto(1 << 20);
  std::vector<std::int32_t> expected(now.ints);
  call(now, false, numbers.data(), expected.data());
  const bool in_place = now.in_place && (now.function != Function::reduce || world().rank() == now.root);
  std::int32_t* const source = in_place ? receive : send;
  std::fill_n(receive, now.ints, -1);
  std::copy(numbers.begin(), numbers.end(), source);
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = call(now, true, in_place ? MPI_IN_PLACE : send, receive); });
  const auto end = expected.begin() + static_cast<std::ptrdiff_t>(results(now));
  return code == MPI_SUCCESS && std::equal(expected.begin(), end, receive) &&
         (in_place || std::equal(numbers.begin(), numbers.end(), send));
}

} // namespace test_support
