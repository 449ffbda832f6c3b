// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi_helper.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "collective/cases.hpp"

namespace test_support {

/// How many members the team of a rank has, so that those of one run differ.
inline int members_of(int rank) {
  return 1 + (team_size() - 1 + rank) % 3;
}

/// Calls body(index, team) in each member of a new team, within a phase. The calling thread is the member
/// `own`; the indices are those of the order of CREATE. Only that thread may call MPI at every level.
inline void in_team(int size, int own, const std::function<void(int, MPI_Helper_team)>& body,
                    int team_id = 1) {
  std::atomic<int> next{0}; // the member whose turn it is to create
  const auto member = [&](int index) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    while (next != index) std::this_thread::yield();
    MPI_Helper_team_create(team_id, size, &team);
    ++next;
    MPI_Helper_join(team);
    body(index, team);
    MPI_Helper_leave(team);
    MPI_Helper_team_free(&team);
  };
  std::vector<std::thread> others;
  for (int index = 0; index < size; ++index) {
    if (index != own) others.emplace_back(member, index);
  }
  member(own);
  for (std::thread& other : others) other.join();
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

/// A member's receive buffer, what it should hold in the end, and what the call returned.
struct Received {
  Buffer buffer;
  Bytes wanted;
  int code = MPI_ERR_OTHER;

  bool right() const { return code == MPI_SUCCESS && buffer.bytes == wanted; }
};

} // namespace test_support
