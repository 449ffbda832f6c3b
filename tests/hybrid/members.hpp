// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "collective/reductions.hpp"
#include "hybrid/in_team.hpp"

namespace test_support {

/// Returns the number of members of a rank's team. It differs between the ranks of a run.
inline int members_of(int rank) {
  return 1 + (team_size() - 1 + rank) % 3;
}

using Bytes = std::vector<unsigned char>;

inline Bytes packed(Buffer& buffer, MPI_Datatype type, int count) {
  int size = 0;
  int position = 0;
  PMPI_Type_size(type, &size);
  Bytes bytes(static_cast<std::size_t>(size) * static_cast<std::size_t>(count));
  PMPI_Pack(buffer.address(), count, type, bytes.data(), static_cast<int>(bytes.size()), &position,
            MPI_COMM_SELF);
  return bytes;
}

inline void unpack(const Bytes& bytes, Buffer& buffer, MPI_Datatype type, int count) {
  int position = 0;
  PMPI_Unpack(bytes.data(), static_cast<int>(bytes.size()), &position, buffer.address(), count, type,
              MPI_COMM_SELF);
}

/// Draws elements of some matrices. MPICH writes beyond its own buffers if types begin before their address,
/// so types that it reduces don't.
inline Type draw_elements(Draw& shared, int matrices) {
  const char* const algorithms = std::getenv("MPI_HELPER_ALGORITHM");
  const bool is_native =
      algorithms != nullptr && std::string_view(algorithms).find("native") != std::string_view::npos;
  const Family structure{"structure", family::structure};
  return reductions::draw_matrices(shared, is_native ? structure : shared.of(families()), matrices);
}

/// A member's receive buffer, its expected contents, and the code that the call returned.
struct Received {
  Buffer buffer;
  Bytes wanted;
  int code = MPI_ERR_OTHER;

  bool right() const { return code == MPI_SUCCESS && buffer.bytes == wanted; }
};

} // namespace test_support
