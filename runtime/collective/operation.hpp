// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

namespace helper::collective {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  scan,
  exscan,
  // The non-blocking ones.
  ireduce,
  iallreduce,
  ireduce_scatter,
  ireduce_scatter_block,
  iscan,
  iexscan,
  operations // how many there are
};

template <auto value>
constexpr std::string_view find_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__; // … value = helper::collective::Operation::bcast; …
  text = text.substr(0, text.find_first_of(";]", text.find("value = ")));
  return text.substr(text.rfind(':') + 1);
}
template <auto value>
inline constexpr auto enumerator = [] {
  std::array<char, find_enumerator<value>().size() + 1> name{}; // ends with a null character
  std::ranges::copy(find_enumerator<value>(), name.begin());
  return name;
}();
/// The names of the enumerators from 0 to the one before `end`.
template <auto end>
inline constexpr auto names_before = []<std::size_t... index>(std::index_sequence<index...>) {
  return std::array<std::string_view, sizeof...(index)>{
      enumerator<static_cast<decltype(end)>(index)>.data()...};
}
(std::make_index_sequence<static_cast<std::size_t>(end)>());

constexpr std::uint32_t set_of(std::same_as<Operation> auto... each) noexcept {
  return (0U | ... | (1U << static_cast<unsigned>(each)));
}
namespace sets {
using enum Operation;
inline constexpr std::uint32_t reduce_scatters = set_of(reduce_scatter, reduce_scatter_block);
inline constexpr std::uint32_t reductions = set_of(reduce, allreduce) | reduce_scatters;
inline constexpr std::uint32_t scans = set_of(scan, exscan);
inline constexpr std::uint32_t rooted = set_of(gather, scatter);
inline constexpr std::uint32_t allgathers = set_of(allgather, allgatherv);
inline constexpr std::uint32_t alltoalls = set_of(alltoall, alltoallv, alltoallw);
inline constexpr std::uint32_t moves = rooted | set_of(gatherv, scatterv) | allgathers | alltoalls;
inline constexpr std::uint32_t nonblocking =
    set_of(ireduce, iallreduce, ireduce_scatter, ireduce_scatter_block, iscan, iexscan);
inline constexpr std::uint32_t all = (1U << static_cast<unsigned>(operations)) - 1;
} // namespace sets

template <std::uint32_t set>
constexpr bool is_in(Operation operation) noexcept {
  return (set >> static_cast<unsigned>(operation) & 1) != 0;
}
inline constexpr auto& is_reduce_scatter = is_in<sets::reduce_scatters>;
inline constexpr auto& is_scan = is_in<sets::scans>;
inline constexpr auto& is_allgather = is_in<sets::allgathers>;
inline constexpr auto& is_alltoall = is_in<sets::alltoalls>;
/// Returns whether blocks are only reduced and scattered, or only gathered. An allreduce does both.
inline constexpr auto& is_one_pass = is_in<sets::reduce_scatters | sets::allgathers>;
/// Returns whether the root receives data of the other ranks.
inline constexpr auto& is_gather = is_in<set_of(Operation::gather, Operation::gatherv)>;
inline constexpr auto& is_scatter = is_in<set_of(Operation::scatter, Operation::scatterv)>;
/// Returns whether the root has a block for or from every rank, all of one size that all ranks know.
inline constexpr auto& is_regular_rooted = is_in<sets::rooted>;

} // namespace helper::collective
