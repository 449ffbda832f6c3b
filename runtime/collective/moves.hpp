// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "collective/selection.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

/// The elements in a user's buffer for one rank, or from one rank. By default there are none.
struct Part {
  const void* base = nullptr; ///< the user's buffer; written to if data are received into it
  MPI_Aint offset = 0;        ///< where the elements begin in it, in bytes
  MPI_Count count = 0;
  MPI_Datatype type = MPI_BYTE;
  std::size_t bytes = 0; ///< of data

  void* address() const noexcept { return static_cast<std::byte*>(const_cast<void*>(base)) + offset; }

  bool operator==(const Part&) const = default;
};

/// Returns the part of `count` elements at `base`; an empty part if `base` is MPI_IN_PLACE.
Part part(const void* base, MPI_Count count, MPI_Datatype type);

/// Return a part for each rank. The arguments are as in MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw.
std::vector<Part> parts(int ranks, const void* base, MPI_Count count, MPI_Datatype type);
std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        MPI_Datatype type);
std::vector<Part> parts(int ranks, const void* base, Integers counts, Integers displacements,
                        const MPI_Datatype* types);

/// Returns a function of the number of ranks, which returns their parts().
template <class... Arguments>
auto parts_in(Arguments... arguments) {
  return [=](int ranks) { return parts(ranks, arguments...); };
}

/// Returns whether native MPI accepts all the parts.
bool acceptable(const std::vector<Part>& parts);

/// Returns whether a rank's own part is at one address in both buffers, which native MPI rejects.
bool are_aliases(const Part& out, const Part& in) noexcept;

/// An operation that moves data, as one rank sees it: its data for each rank, and the buffers for their data.
struct Moves {
  Operation operation;
  const char* name; ///< for stall reports
  std::vector<Part> out;
  std::vector<Part> in;
  bool in_place = false; ///< data from a rank replace the data for it
  int root = 0;          ///< where there is one
};

/// Performs the operation. `bytes`, equal at all ranks, decides the selection. Returns nothing, having
/// communicated nothing, if native MPI shall handle the call. Blocks, lending the caller; throws MpiError and
/// PeerGaveUp.
///
/// Data for a rank are cut into chunks by their packed bytes: sender and receiver know only this size alike.
std::optional<int> carry(Moves moves, std::size_t bytes, team::Member& member, const Shadow& shadow);

} // namespace helper::collective
