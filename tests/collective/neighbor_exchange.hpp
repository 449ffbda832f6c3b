// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <vector>

#include "collective/neighbor_cases.hpp"
#include "support/catch.hpp"

namespace test_support::moves {

/// Returns a type of `count` ints at absolute addresses: every second int from values[first] on.
inline Type at_address(const std::vector<int>& values, std::size_t first, int count) {
  MPI_Aint place = 0;
  PMPI_Get_address(&values[first], &place);
  const Type odd(PMPI_Type_vector, count, 1, 2, MPI_INT);
  return Type(PMPI_Type_create_hindexed_block, 1, 1, &place, odd);
}

/// An exchange between neighbours and its buffers. A block has `count` ints. In the kinds with sizes it has 0
/// to 2 times `count` ints, drawn for each pair of ranks.
class Exchange {
public:
  static constexpr int kinds = 5;

  Exchange(const Topology& topology, int kind, int count, Draw& shared, Draw& own)
      : on_(topology), kind_(kind), count_(count) {
    const auto ranks = static_cast<std::size_t>(on_.comm.size());
    const auto self = static_cast<std::size_t>(on_.comm.rank());
    std::vector<std::vector<int>> sizes(ranks, std::vector<int>(ranks, count));
    for (auto& from : sizes) {
      for (int& size : from) size = has_sizes() ? count * shared.upto(2) : count;
    }
    for (const int to : on_.destinations)
      out_.add(to < 0 ? count : sizes[self][static_cast<std::size_t>(to)]);
    for (const int from : on_.sources)
      in_.add(from < 0 ? count : sizes[static_cast<std::size_t>(from)][self]);
    draw(own);
  }

  void draw(Draw& own) {
    for (int& value : out_.values) value = own.upto(1 << 20);
    std::ranges::fill(in_.values, -1);
  }

  int begin(MPI_Request* request) {
    switch (kind_) {
    case 0:
      return regular(MPI_Ineighbor_allgather, request);
    case 1:
      return gather_sizes(MPI_Ineighbor_allgatherv, request);
    case 2:
      return regular(MPI_Ineighbor_alltoall, request);
    case 3:
      return with_sizes(MPI_Ineighbor_alltoallv, request);
    default:
      return with_types(MPI_Ineighbor_alltoallw, request);
    }
  }

#if MPI_VERSION >= 4
  int make(MPI_Request* request) {
    switch (kind_) {
    case 0:
      return regular(MPI_Neighbor_allgather_init, MPI_INFO_NULL, request);
    case 1:
      return gather_sizes(MPI_Neighbor_allgatherv_init, MPI_INFO_NULL, request);
    case 2:
      return regular(MPI_Neighbor_alltoall_init, MPI_INFO_NULL, request);
    case 3:
      return with_sizes(MPI_Neighbor_alltoallv_init, MPI_INFO_NULL, request);
    default:
      return with_types(MPI_Neighbor_alltoallw_init, MPI_INFO_NULL, request);
    }
  }
#endif

  /// Returns the result of native MPI. MPI_Neighbor_alltoallv gives the result of the alltoallw form too.
  std::vector<int> by_native() const {
    Exchange copy(*this);
    switch (kind_) {
    case 0:
      REQUIRE(copy.regular(PMPI_Neighbor_allgather) == MPI_SUCCESS);
      break;
    case 1:
      REQUIRE(copy.gather_sizes(PMPI_Neighbor_allgatherv) == MPI_SUCCESS);
      break;
    case 2:
      REQUIRE(copy.regular(PMPI_Neighbor_alltoall) == MPI_SUCCESS);
      break;
    default:
      REQUIRE(copy.with_sizes(PMPI_Neighbor_alltoallv) == MPI_SUCCESS);
    }
    return copy.in_.values;
  }

  const std::vector<int>& result() const {
    return in_.values;
  }

  /// Overwrites the buffers, which belong to the program again.
  void spoil() {
    std::ranges::fill(out_.values, -2);
    std::ranges::fill(in_.values, -3);
  }

private:
  /// A buffer of blocks with a gap after each. Operations with blocks of equal size ignore the gaps.
  struct Blocks {
    std::vector<int> counts, places;
    std::vector<MPI_Aint> offsets;
    std::vector<MPI_Datatype> types;
    std::vector<int> values;

    void add(int count) {
      const auto place = static_cast<int>(values.size());
      counts.push_back(count);
      places.push_back(place);
      offsets.push_back(place * static_cast<MPI_Aint>(sizeof(int)));
      types.push_back(MPI_INT);
      values.resize(values.size() + static_cast<std::size_t>(count) + 1);
    }
  };

  bool has_sizes() const {
    return kind_ > 2;
  }

  template <class Function, class... Rest>
  int regular(Function function, Rest... rest) {
    return function(out_.values.data(), on_.destinations.empty() ? 0 : count_, MPI_INT, in_.values.data(),
                    on_.sources.empty() ? 0 : count_, MPI_INT, on_.comm, rest...);
  }
  template <class Function, class... Rest>
  int gather_sizes(Function function, Rest... rest) {
    return function(out_.values.data(), on_.destinations.empty() ? 0 : count_, MPI_INT, in_.values.data(),
                    in_.counts.data(), in_.places.data(), MPI_INT, on_.comm, rest...);
  }
  template <class Function, class... Rest>
  int with_sizes(Function function, Rest... rest) {
    return function(out_.values.data(), out_.counts.data(), out_.places.data(), MPI_INT, in_.values.data(),
                    in_.counts.data(), in_.places.data(), MPI_INT, on_.comm, rest...);
  }
  template <class Function, class... Rest>
  int with_types(Function function, Rest... rest) {
    return function(out_.values.data(), out_.counts.data(), out_.offsets.data(), out_.types.data(),
                    in_.values.data(), in_.counts.data(), in_.offsets.data(), in_.types.data(), on_.comm,
                    rest...);
  }

  const Topology& on_;
  int kind_;
  int count_;
  Blocks out_, in_;
};

} // namespace test_support::moves
