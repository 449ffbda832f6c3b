// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "interpose/name.hpp"
#include "trace/track.hpp"

/// These functions read off its arguments what a call moves, for the record.
namespace helper::interpose {

/// Says by index which arguments of a function are data, each a buffer, its count and its datatype one after
/// the other, and which is its communicator.
struct DataArguments {
  static constexpr std::size_t none = ~std::size_t{0};

  std::string_view function; ///< stands for its forms for large counts and without blocking
  std::size_t own;           ///< what each process sends; of a scatter, what it receives
  std::size_t other;         ///< the other buffer, if it has a count
  std::size_t comm;
};

/// The types of the arguments do not tell: handles may be numbers.
inline constexpr auto data_arguments = [] {
  constexpr std::size_t none = DataArguments::none;
  return std::to_array<DataArguments>({
      // clang-format off
      {"MPI_Send", 0, none, 5}, {"MPI_Bsend", 0, none, 5}, {"MPI_Ssend", 0, none, 5}, {"MPI_Rsend", 0, none, 5},
      {"MPI_Recv", 0, none, 5}, {"MPI_Mrecv", 0, none, none},
      {"MPI_Sendrecv", 0, 5, 10}, {"MPI_Sendrecv_replace", 0, none, 7},
      {"MPI_Barrier", none, none, 0}, {"MPI_Bcast", 0, none, 4},
      {"MPI_Gather", 0, 3, 7}, {"MPI_Gatherv", 0, none, 8}, {"MPI_Scatter", 3, 0, 7}, {"MPI_Scatterv", 4, none, 8},
      {"MPI_Allgather", 0, 3, 6}, {"MPI_Allgatherv", 0, none, 7},
      {"MPI_Alltoall", 0, 3, 6}, {"MPI_Alltoallv", none, none, 8}, {"MPI_Alltoallw", none, none, 8},
      {"MPI_Reduce", 1, none, 6}, {"MPI_Allreduce", 1, none, 5}, {"MPI_Scan", 1, none, 5}, {"MPI_Exscan", 1, none, 5},
      {"MPI_Reduce_scatter_block", 1, none, 5}, {"MPI_Reduce_scatter", none, none, 5},
      {"MPI_Neighbor_allgather", 0, 3, 6}, {"MPI_Neighbor_allgatherv", 0, none, 7},
      {"MPI_Neighbor_alltoall", 0, 3, 6}, {"MPI_Neighbor_alltoallv", none, none, 8},
      {"MPI_Neighbor_alltoallw", none, none, 8},
      {"MPI_Pack", 0, none, 6}, {"MPI_Unpack", 3, none, 6},
      {"MPI_Pack_external", 1, none, none}, {"MPI_Unpack_external", 4, none, none},
      {"MPI_Reduce_local", 1, none, none},
      {"MPI_File_read_all", 1, none, none}, {"MPI_File_read_all_begin", 1, none, none},
      {"MPI_File_read_at_all", 2, none, none}, {"MPI_File_read_at_all_begin", 2, none, none},
      {"MPI_File_read_ordered", 1, none, none}, {"MPI_File_read_ordered_begin", 1, none, none},
      {"MPI_File_write_all", 1, none, none}, {"MPI_File_write_all_begin", 1, none, none},
      {"MPI_File_write_at_all", 2, none, none}, {"MPI_File_write_at_all_begin", 2, none, none},
      {"MPI_File_write_ordered", 1, none, none}, {"MPI_File_write_ordered_begin", 1, none, none},
      // clang-format on
  });
}();

/// Returns whether the name is that of `function`, or of one of its forms: MPI_Isend_c is one of MPI_Send.
constexpr bool is_form_of(std::string_view name, std::string_view function) {
  constexpr std::string_view begin = "MPI_";
  constexpr std::string_view begin_without_blocking = "MPI_I";
  if (name.ends_with("_c")) name.remove_suffix(2);
  if (name == function) return true;
  if (!name.starts_with(begin_without_blocking)) return false;
  name.remove_prefix(begin_without_blocking.size());
  function.remove_prefix(begin.size());
  return !name.empty() && name[0] == function[0] - 'A' + 'a' && name.substr(1) == function.substr(1);
}

/// Returns what is known of the arguments of `Native`; none of them are data if it is not in the list.
template <auto Native>
inline constexpr DataArguments arguments_of = [] {
  const auto* const found = std::ranges::find_if(
      data_arguments, [](const DataArguments& each) { return is_form_of(name_of<Native>, each.function); });
  constexpr std::size_t none = DataArguments::none;
  return found != data_arguments.end() ? *found : DataArguments{name_of<Native>, none, none, none};
}();

/// Returns whether these types can be data from index `at` on, and a communicator at index `comm`.
template <class... Arguments>
constexpr bool fit(const DataArguments& listed) {
  constexpr std::size_t size = sizeof...(Arguments);
  constexpr std::array<bool, size> buffer{std::same_as<Arguments, void*> ||
                                          std::same_as<Arguments, const void*>...};
  constexpr std::array<bool, size> number{std::is_integral_v<Arguments>...};
  constexpr std::array<bool, size> type{std::same_as<Arguments, MPI_Datatype>...};
  constexpr std::array<bool, size> comm{std::same_as<Arguments, MPI_Comm>...};
  const auto are_data = [&](std::size_t at) {
    return at == DataArguments::none || (at + 2 < size && buffer[at] && number[at + 1] && type[at + 2]);
  };
  return are_data(listed.own) && are_data(listed.other) &&
         (listed.comm == DataArguments::none || (listed.comm < size && comm[listed.comm]));
}

/// Returns the communicator of a call of `Native`, if it is listed.
template <auto Native, class... Arguments>
MPI_Comm comm_among(const std::tuple<Arguments...>& arguments) {
  constexpr DataArguments listed = arguments_of<Native>;
  static_assert(fit<Arguments...>({listed.function, DataArguments::none, DataArguments::none, listed.comm}));
  if constexpr (listed.comm == DataArguments::none) {
    return MPI_COMM_NULL;
  } else {
    return std::get<listed.comm>(arguments);
  }
}

/// Records the bytes of a call's own data, and the size of its communicator. The call of `Native` has
/// succeeded: so its own data are good, and other arguments are not looked at.
template <auto Native, class... Arguments>
void record_volume(trace::Track& track, Arguments... arguments) {
  constexpr DataArguments listed = arguments_of<Native>;
  static_assert(fit<Arguments...>(listed));
  const std::tuple all(arguments...);
  std::uint64_t bytes = 0;
  if constexpr (constexpr std::size_t at = listed.own; at != DataArguments::none) {
    const auto count = std::get<at + 1>(all);
    const MPI_Datatype type = std::get<at + 2>(all);
    if (std::get<at>(all) != MPI_IN_PLACE && count > 0 && type != MPI_DATATYPE_NULL) {
      MPI_Count size = 0;
      PMPI_Type_size_x(type, &size);
      bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    }
  }
  int ranks = 0;
  const MPI_Comm comm = comm_among<Native>(all);
  if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &ranks);
  track.moved(bytes, ranks);
}

} // namespace helper::interpose
