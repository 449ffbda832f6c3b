// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <concepts>
#include <new>
#include <optional>
#include <tuple>

#include "ranks/mpi_error.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

/// The collective operations that a team carries. A function does what the MPI function of its name does
/// (MPI-4.0, chapter 6), and blocks like it. The primary calls it in a phase. If native MPI must handle the
/// call, the function communicates nothing and returns nothing. It throws ranks::MpiError.
namespace helper::collective {

/// Reads an array of counts or displacements, as passed to an MPI function or its large-count form.
class Integers {
public:
  template <std::integral Integer>
  // NOLINTNEXTLINE(google-explicit-constructor): callers give it either array
  Integers(const Integer* values) noexcept
      : values_(values), are_long_(sizeof(Integer) == sizeof(MPI_Count)) {
    static_assert(sizeof(Integer) == sizeof(MPI_Count) || sizeof(Integer) == sizeof(int));
  }

  bool are_there() const noexcept { return values_ != nullptr; }
  MPI_Count operator[](int index) const noexcept {
    return are_long_ ? static_cast<const MPI_Count*>(values_)[index]
                     : static_cast<const int*>(values_)[index];
  }

private:
  const void* values_;
  bool are_long_;
};

std::optional<int> barrier(team::Member& member, MPI_Comm comm);

std::optional<int> bcast(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                         MPI_Comm comm);

std::optional<int> allreduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);
decltype(allreduce) reduce_scatter_block, scan, exscan;

std::optional<int> reduce(team::Member& member, const void* send, void* receive, MPI_Count count,
                          MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);

std::optional<int> reduce_scatter(team::Member& member, const void* send, void* receive, Integers counts,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm);

std::optional<int> gather(team::Member& member, const void* send, MPI_Count send_count,
                          MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                          MPI_Datatype receive_type, int root, MPI_Comm comm);
decltype(gather) scatter;

std::optional<int> gatherv(team::Member& member, const void* send, MPI_Count send_count,
                           MPI_Datatype send_type, void* receive, Integers receive_counts,
                           Integers displacements, MPI_Datatype receive_type, int root, MPI_Comm comm);

std::optional<int> scatterv(team::Member& member, const void* send, Integers send_counts,
                            Integers displacements, MPI_Datatype send_type, void* receive,
                            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);

// A neighbourhood collective has the arguments of its counterpart among all ranks, such as allgather().

std::optional<int> allgather(team::Member& member, const void* send, MPI_Count send_count,
                             MPI_Datatype send_type, void* receive, MPI_Count receive_count,
                             MPI_Datatype receive_type, MPI_Comm comm);
decltype(allgather) alltoall, neighbor_allgather, neighbor_alltoall;

std::optional<int> allgatherv(team::Member& member, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* receive, Integers receive_counts,
                              Integers displacements, MPI_Datatype receive_type, MPI_Comm comm);
decltype(allgatherv) neighbor_allgatherv;

std::optional<int> alltoallv(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, MPI_Datatype send_type, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             MPI_Datatype receive_type, MPI_Comm comm);
decltype(alltoallv) neighbor_alltoallv;

std::optional<int> alltoallw(team::Member& member, const void* send, Integers send_counts,
                             Integers send_displacements, const MPI_Datatype* send_types, void* receive,
                             Integers receive_counts, Integers receive_displacements,
                             const MPI_Datatype* receive_types, MPI_Comm comm);
decltype(alltoallw) neighbor_alltoallw;

/// Calls `Operation`. The communicator is its last argument, or the last before the request if it is
/// non-blocking. If `Operation` fails at this rank, it fails at all ranks that still wait for this rank. Then
/// native MPI gets all later calls on the communicator. Throws only MpiError and PeerGaveUp.
template <auto Operation, bool is_blocking>
struct Carried {
  template <class... Arguments>
  std::optional<int> operator()(team::Member& member, Arguments... arguments) const {
    const MPI_Comm comm = std::get<sizeof...(Arguments) - (is_blocking ? 1 : 2)>(std::tuple(arguments...));
    transport::operation::reset();
    try {
      const std::optional<int> code = Operation(member, arguments...);
      if (code && is_blocking) { // non-blocking operations have their own numbers
        transport::operation::end();
      } else {
        transport::operation::reset();
      }
      return code;
    } catch (const ranks::Truncated&) {
      transport::operation::end();
      throw;
    } catch (const std::bad_alloc&) {
      transport::operation::fail(comm);
      throw ranks::MpiError(comm, MPI_ERR_NO_MEM);
    } catch (...) {
      transport::operation::fail();
      throw;
    }
  }
};
template <auto Operation>
inline constexpr Carried<Operation, true> carried{};
template <auto Operation>
inline constexpr Carried<Operation, false> started{};

} // namespace helper::collective
