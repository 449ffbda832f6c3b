// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>

/// What functions.txt says of a function by a word, and mpi.h by the parameters.
namespace helper::interpose {

struct Listed {
  static constexpr std::size_t none = ~std::size_t{0};

  // For the process's traffic (shm/traffic.hpp). A function that sends or completes also polls.
  bool begins = false;      ///< begins a request
  bool sends = false;       ///< sends something that the receiver's MPI has to see
  bool polls = false;       ///< may need others to poll MPI
  bool receives = false;    ///< matches a message, or has one matched
  bool completes = false;   ///< completes requests
  bool lasts = false;       ///< makes what MPI has to get on with until it is freed: a window, a file
  bool ends = false;        ///< ends such a thing
  bool persistent = false;  ///< makes a persistent request; the last argument is where
  bool partitioned = false; ///< makes a partitioned one, in the same way

  // For threads of the program's OpenMP runtime, which may help: at most one of these is true.
  bool message = false;         ///< a blocking message to or from one process
  bool completes_all = false;   ///< completes a request, or all of several; others return once any is over
  bool reduces = false;         ///< a reduction among ranks
  bool reduces_blocks = false;  ///< the same, whose count is that of each rank's result
  bool reduces_locally = false; ///< communicates nothing
  bool packs = false;           ///< packs or unpacks, and communicates nothing
  bool moves = false;           ///< a collective move of one buffer
  bool moves_blocks = false;    ///< the same of a buffer with a block for each rank
  bool moves_counts = false;    ///< the same, with a count for each rank

  // Where functions of the program pack the data, this way replaces the native function outside of phases
  // too.
  bool packed_by_first = false;
  bool packed_by_second = false;
  bool neighbors = false; ///< between neighbours in a topology, with two datatypes or more
  bool to_all = false;    ///< the same block goes to all of these

  // Arguments by index. Data are a buffer, its count and its datatype, one after the other.
  std::size_t own = none;   ///< the data that each process sends; of a scatter, those that it receives
  std::size_t other = none; ///< the other data, if their buffer has a count
  std::size_t comm = none;
};

/// The properties of `Native`, a function PMPI_X.
template <auto Native>
inline constexpr Listed listed = [] {
  static_assert(Native == nullptr, "functions.txt does not say that this function is intercepted");
  return Listed{};
}();

#include "interpose/listed.inc"

} // namespace helper::interpose
