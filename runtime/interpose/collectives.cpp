// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Blocking collectives are carried by the team where it can; otherwise they are non-blocking with the thread
// lent. So are constructors of communicators that have a non-blocking form.

#include "collective/collective.hpp"
#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::carried;

namespace {

bool is_nothing(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count == 0) return true;
  MPI_Count element = 1;
  if (ranks::valid_data(buffer, count, type)) PMPI_Type_size_x(type, &element);
  return element == 0;
}

/// Tells whether it is an inter-communicator; of none MPI is to say what is wrong.
bool is_inter(MPI_Comm comm) {
  int flag = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &flag);
  return flag != 0;
}

/// Lends, except for a broadcast of nothing (quirk empty_bcast_does_not_wait). All ranks must do alike, since
/// MPI counts its non-blocking operations. So nobody lends on inter-communicators, where ranks that take no
/// part may pass any count.
template <auto Start>
constexpr auto broadcast = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int root,
                              MPI_Comm comm) -> std::optional<int> {
  if (!is_nothing(buffer, count, type) && !is_inter(comm))
    return lend<Start>(member, buffer, count, type, root, comm);
  message::rescue();
  return std::nullopt;
};

/// Lends a neighbourhood collective, except with an MPI 3.1: quirk confuses_equal_neighbours.
template <auto Start>
constexpr auto exchange = [](team::Member& member, auto... arguments) -> std::optional<int> {
  if constexpr (MPI_VERSION >= 4) return lend<Start>(member, arguments...);
  message::rescue();
  return std::nullopt;
};

} // namespace

#include "interpose/collectives.inc"
