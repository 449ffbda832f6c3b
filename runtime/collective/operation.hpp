// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace helper::collective {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  scan,
  exscan,
  // The non-blocking ones.
  ireduce,
  iallreduce,
  ireduce_scatter,
  ireduce_scatter_block,
  iscan,
  iexscan,
  operations // how many there are
};

// What follows is of the blocking ones.

constexpr bool is_reduce_scatter(Operation operation) noexcept {
  return operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block;
}

/// Returns whether the root gets what the other ranks have.
constexpr bool is_gather(Operation operation) noexcept {
  return operation == Operation::gather || operation == Operation::gatherv;
}

/// Returns whether every rank has, or gets, a block of the root's, all as large, as all ranks know.
constexpr bool is_regular_rooted(Operation operation) noexcept {
  return operation == Operation::gather || operation == Operation::scatter;
}

constexpr bool is_allgather(Operation operation) noexcept {
  return operation == Operation::allgather || operation == Operation::allgatherv;
}

/// Returns whether data pass a rank only once on their way: scattered, or gathered.
constexpr bool is_one_pass(Operation operation) noexcept {
  return is_reduce_scatter(operation) || is_allgather(operation);
}

constexpr bool is_alltoall(Operation operation) noexcept {
  return operation == Operation::alltoall || operation == Operation::alltoallv ||
         operation == Operation::alltoallw;
}

constexpr bool is_scan(Operation operation) noexcept {
  return operation == Operation::scan || operation == Operation::exscan;
}

} // namespace helper::collective
