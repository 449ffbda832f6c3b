// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#ifdef MPI_ABI_VERSION
#pragma weak PMPI_File_close // an ABI library lacks it: see tools/bind.cpp
#endif

/// The properties of a function: from its words in functions.txt, and its parameters in mpi.h.
namespace helper::interpose {

struct Listed {
  static constexpr std::size_t none = ~std::size_t{0};

  // For the process's traffic (shm/traffic.hpp). A function that sends or completes also polls.
  bool begins = false;      ///< begins a request
  bool sends = false;       ///< sends something that the receiver's MPI must see
  bool polls = false;       ///< may need other processes to poll MPI
  bool receives = false;    ///< matches a message, or receives a matched one
  bool completes = false;   ///< completes requests
  bool lasts = false;       ///< makes an object that MPI must progress until it is freed: a window, a file
  bool ends = false;        ///< ends such an object
  bool persistent = false;  ///< makes a persistent request; the last argument points to it
  bool partitioned = false; ///< makes a partitioned request; the last argument points to it

  // What kind of call the program's OpenMP threads may help with. At most one of these is true.
  bool message = false;         ///< a blocking message to or from one process
  bool completes_all = false;   ///< completes a request, or all of several
  bool reduces = false;         ///< a reduction among ranks
  bool reduces_blocks = false;  ///< a reduction with a count for each rank's result
  bool reduces_locally = false; ///< communicates nothing
  bool packs = false;           ///< packs or unpacks, without communication
  bool moves = false;           ///< a collective move of one buffer
  bool moves_blocks = false;    ///< a collective move of a buffer with a block for each rank
  bool moves_counts = false;    ///< a collective move of a buffer with a count for each rank

  // Which of the ways replaces the native function, outside phases too, if the program itself packs the data.
  bool packed_by_first = false;
  bool packed_by_second = false;
  bool neighbors = false; ///< between neighbours in a topology, with two datatypes or more
  bool to_all = false;    ///< the same block goes to all neighbours

  // Indices of arguments. For data this is the index of the buffer; count and datatype follow the buffer.
  std::size_t own = none;   ///< the data that each process sends or, for a scatter, receives
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
