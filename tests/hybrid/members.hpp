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

/// Returns how many members the team of `rank` has. Ranks have teams of different sizes.
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

/// Draws a type of `matrices` matrices. If native MPI reduces it, the type is a structure, since MPICH writes
/// beyond its own buffers if a type begins before its address.
inline Type draw_elements(Draw& shared, int matrices) {
  const char* const algorithms = std::getenv("MPI_HELPER_ALGORITHM");
  const bool is_native =
      algorithms != nullptr && std::string_view(algorithms).find("native") != std::string_view::npos;
  const Family structure{"structure", family::structure};
  return reductions::draw_matrices(shared, is_native ? structure : shared.of(families()), matrices);
}

/// The receive buffer of a member, what it must contain after the call, and the code of the call.
struct Received {
  Buffer buffer;
  Bytes wanted;
  int code = MPI_ERR_OTHER;

  bool right() const { return code == MPI_SUCCESS && buffer.bytes == wanted; }
};

} // namespace test_support
